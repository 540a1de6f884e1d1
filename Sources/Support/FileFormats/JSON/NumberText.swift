/// A number's digits in a radix, with zeros before them where they are fewer than `width`.
package func zeroPadded(_ number: some BinaryInteger, _ width: Int, radix: Int = 10) -> String {
  let digits = String(number, radix: radix)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
