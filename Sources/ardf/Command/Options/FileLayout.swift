import ArgumentParser
import FileFormats

/// A layout of reports, which the ending of a file name selects too.
protocol FileLayout: CaseIterable, Equatable, RawRepresentable where RawValue == String {
  /// The layout for standard output where no option is given.
  static var usual: Self { get }
  /// File name endings of this layout, without the dot.
  var endings: [String] { get }
}

extension FileLayout {
  /// The name of the layout that `ardf evaluate` calls text or markdown, any other word as it is.
  static func word(_ argument: String) -> String {
    switch argument {
    case "text": "table"
    case "markdown": "md"
    default: argument
    }
  }

  /// The layout given by the option, else by the file name's ending.
  ///
  /// - Throws: for a file name whose ending is another layout's or unknown.
  static func layout(of file: String, asked: Self?) throws -> Self {
    let name = lastComponent(file)
    guard file != "-", !file.hasPrefix("/dev/") else { return asked ?? usual }
    let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]).lowercased() }
    let named = ending.flatMap { ending in allCases.first { $0.endings.contains(ending) } }
    guard let asked else {
      guard let named else {
        let known = allCases.flatMap(\.endings).reduce(into: [String]()) {
          if !$0.contains($1) { $0.append($1) }
        }
        throw ValidationError(
          "--out \(file): its name says no layout: let it end in \(known.map { ".\($0)" }.joined(separator: ", ")), "
            + "or give --report")
      }
      return named
    }
    guard let named, let ending, !asked.endings.contains(ending) else { return asked }
    throw ValidationError(
      "--out \(file): its name says \(named.rawValue), but --report \(asked.rawValue) was asked for; leave one of the two out"
    )
  }
}
