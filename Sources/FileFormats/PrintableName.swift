/// A text from a file as it may stand in a message: control characters escaped, cut after `limit` characters.
public func printableName(_ name: String, limit: Int = 120) -> String {
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

/// A whole message as one line of bounded length, whatever a file has put into it.
public func printableMessage(_ message: String) -> String { printableName(message, limit: 800) }
