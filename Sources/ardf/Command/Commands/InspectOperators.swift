import ArgumentParser
import FileFormats
import ONNX
import ONNXEngine

extension Inspect {
  /// `ardf inspect operators`.
  struct Operators: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the operators of ONNX files that are implemented.",
      discussion: Help.text(
        "docs/reference/onnx.md says which of ONNX's own cases each passes.",
        ("All operators and their versions", "ardf inspect operators")))

    @Flag(help: "Print JSON.") var json = false
    @OptionGroup(title: "Output") var quiet: QuietOption
    @OptionGroup(title: "Output") var table: TableOptions

    func run() throws {
      let operators = ONNX.Operators.listing
      guard json else {
        var table = TextTable(["operator", "domain", "versions", "runs"])
        for item in operators {
          table.add([
            item.name, item.shownDomain, "\(item.versions.lowerBound) to \(item.versions.upperBound)",
            item.isFast ? "fast" : "plain",
          ])
        }
        return try Console.print(table.text)
      }
      try Console.print([
        "schema": "ardf.onnx.operators/1", "newest": .integer(ONNX.Operators.newestVersion),
        "operators": .array(
          operators.map { item -> JSONValue in
            [
              "name": .string(item.name), "domain": .string(item.shownDomain),
              "first": .integer(item.versions.lowerBound), "last": .integer(item.versions.upperBound),
              "fast": .bool(item.isFast),
            ]
          }),
      ])
    }
  }
}

extension ONNX.Operators.Listed {
  /// Whether the engine plans it.
  fileprivate var isFast: Bool { FastOperators.contains(domain.isEmpty ? name : "\(domain).\(name)") }
}
