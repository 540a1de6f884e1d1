import ArgumentParser
import FileFormats

/// How a report is laid out, which the name of its file tells too.
protocol FileLayout: CaseIterable, Equatable, RawRepresentable where RawValue == String {
  /// That of standard output where none is asked for.
  static var usual: Self { get }
  /// File name endings of this layout, without the dot.
  var endings: [String] { get }
}

extension FileLayout {
  /// The layout asked for, else what the file's name ends in.
  ///
  /// - Throws: for a name that says another layout, or none that there is.
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
