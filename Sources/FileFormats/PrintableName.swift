/// A name from a file as it may stand in a message: control characters escaped, long ones cut.
public func printableName(_ name: String) -> String {
  let limit = 120
  var text = ""
  for (count, scalar) in name.unicodeScalars.enumerated() {
    guard count < limit else { return text + "..." }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
      text += "\\u{\(String(scalar.value, radix: 16))}"
    default: text.unicodeScalars.append(scalar)
    }
  }
  return text
}
