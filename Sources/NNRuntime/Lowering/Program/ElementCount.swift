/// Elements that a tensor may have which is made now, as in programs that are run.
let mostElements = 1 << 28

/// The product of sizes; nil where one is negative, or there are more elements than a tensor may have.
func elementCount(_ sizes: some Sequence<Int>) -> Int? {
  var (total, isEmpty) = (1, false)
  for size in sizes {
    guard size != 0 else {
      isEmpty = true
      continue
    }
    let (product, overflow) = total.multipliedReportingOverflow(by: size)
    guard size > 0, !overflow, product <= mostElements else { return nil }
    total = product
  }
  return isEmpty ? 0 : total
}
