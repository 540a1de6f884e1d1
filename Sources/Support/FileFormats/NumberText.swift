/// A number's digits in a radix, with zeros before them where they are fewer than `width`.
package func zeroPadded(_ number: some BinaryInteger, _ width: Int, radix: Int = 10) -> String {
  let digits = String(number, radix: radix)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// A number with what it counts, for people: `1 frame`, `2 frames`.
package func counted(_ count: Int, _ name: String, _ plural: String? = nil) -> String {
  "\(count) " + (count == 1 ? name : plural ?? name + "s")
}
