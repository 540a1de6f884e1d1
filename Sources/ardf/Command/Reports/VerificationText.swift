import FileFormats
import NNRuntime
import NNVerification

/// The text of `ardf verify` for people.
struct VerificationText {
  /// The report of each mode.
  let reports: [VerificationReport]
  /// The origin that the reference states.
  let origin: [String: String]
  let reference: String
  /// Tensors of the reference by the type they are stored as, where that is less exact than single precision.
  let reducedTypes: [String: Int]
  /// Whether only layers and outputs beyond their tolerance are listed.
  let failed: Bool

  var text: String {
    let parts = ["library", "version", "profile"].compactMap { origin[$0] }
    var text = reports.first.map { "\($0.network), kernels \($0.kernels)" } ?? ""
    text += ", against " + printableLine(parts.isEmpty ? reference : parts.joined(separator: " ")) + "\n"
    for (type, count) in reducedTypes.sorted(by: { $0.key < $1.key }) {
      text += "the reference stores \(counted(count, "tensor")) as \(type), rounded: record it as F32\n"
    }
    for report in reports {
      let layers = report.layers.filter { !failed || !$0.passed }
      let outputs = report.outputs.filter { !failed || !$0.passed }
      let objects = report.objects.filter { !failed || !$0.passed }
      if !layers.isEmpty || !outputs.isEmpty || !objects.isEmpty { text += "\n\(report.mode.rawValue)\n" }
      if !layers.isEmpty { text += table(layers) }
      if !outputs.isEmpty { text += table(outputs) }
      if !objects.isEmpty { text += table(objects) }
    }
    if let report = reports.first { text += notCompared(report) }
    return text + "\n" + reports.map { $0.summary + "\n" }.joined()
  }

  /// The layers that were not compared, on either side.
  private func notCompared(_ report: VerificationReport) -> String {
    var text = ""
    let unobserved = report.layers.flatMap(\.unobserved) + report.unobserved
    if !unobserved.isEmpty { text += "\nnot in the reference: \(unobserved.joined(separator: ", "))\n" }
    if !report.absent.isEmpty {
      text +=
        "\noutputs that are not in the reference and so not compared: "
        + "\(report.absent.joined(separator: ", "))\n"
    }
    let kinds: [(VerificationReport.LeftOut.Kind, String)] = [
      (.joined, "parts of joined layers, which --no-fuse compares"),
      (.module, "modules without a result of their own here"),
      (.output, "outputs"),
    ]
    for (kind, title) in kinds {
      let names = report.leftOut.filter { $0.kind == kind }.map { printableName($0.name) }
      guard !names.isEmpty else { continue }
      text += "\nof the reference not compared: \(names.count) \(title): \(names.joined(separator: ", "))\n"
    }
    return text
  }

  private func table(_ layers: [VerificationReport.Layer]) -> String {
    var table = TextTable(
      [
        "layer", "operation", "shape", "max abs", "at", "relative L2", "1 - cosine", "99.9 %", "verdict",
        "holds",
      ], rightAligned: [3, 5, 6, 7])
    for layer in layers {
      let difference = layer.difference
      table.add([
        layer.name, layer.operation, layer.shape.map(String.init).joined(separator: "x"),
        scientific(difference.maximumAbsolute), "\(difference.location)",
        scientific(difference.relativeL2), scientific(max(0, 1 - difference.cosine)),
        scientific(difference.quantile999), layer.passed ? "ok" : "DIVERGES",
        layer.holds.count > 1 ? layer.holds.joined(separator: " ") : "",
      ])
    }
    return table.text
  }

  private func table(_ outputs: [ComparedOutput]) -> String {
    var table = TextTable(
      ["output", "part", "shape", "max abs", "at", "relative L2", "of reference's own", "verdict"],
      rightAligned: [3, 5])
    for output in outputs {
      table.add([
        printableLine(output.name), output.part.name, output.shape.map(String.init).joined(separator: "x"),
        scientific(output.difference.maximumAbsolute), "\(output.difference.location)",
        scientific(output.difference.relativeL2), output.isOwn ? "yes" : "no",
        output.passed ? "ok" : "DIVERGES",
      ])
    }
    return table.text
  }

  private func table(_ objects: [ComparedObjects]) -> String {
    var table = TextTable(
      [
        "objects", "found", "expected", "the same", "at a threshold", "masks", "largest differences",
        "verdict",
      ],
      rightAligned: [1, 2, 3, 4, 5])
    for compared in objects {
      table.add([
        printableLine(compared.name), "\(compared.found)", "\(compared.expected)", "\(compared.matched)",
        "\(compared.atThreshold)", "\(compared.masks)",
        compared.differences.map { "\($0.part) \(scientific($0.largest))" }.joined(separator: ", "),
        compared.passed ? "ok" : "DIVERGES",
      ])
    }
    return table.text
  }
}
