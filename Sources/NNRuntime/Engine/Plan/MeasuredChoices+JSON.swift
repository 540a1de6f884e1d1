import FileFormats
import NNKernelInterface

// {"schema": "ardf.plan/1", "kernels": "avx512", "convolutions": [{"input": [80, 80, 64], "output": [80, 80, 64],
//  "kernel": [3, 3], "stride": 1, "padding": 1, "algorithm": "winograd-f4x4",
//  "milliseconds": {"direct": 1.2, "winograd-f4x4": 0.8}}]}, maps as (height, width, channels).

extension MeasuredChoices {
  private static let schema = "ardf.plan/1"

  /// The file of `--plan`.
  package var document: JSONValue {
    [
      "schema": .string(Self.schema), "kernels": .string(kernels),
      "convolutions": .array(entries.map(\.document)),
    ]
  }

  /// The choices of a plan file.
  ///
  /// - Throws: `MeasuredChoicesError`.
  package init(_ document: JSONValue) throws(MeasuredChoicesError) {
    guard document["schema"]?.string == Self.schema else {
      throw .malformed("\"schema\" must be \"\(Self.schema)\"")
    }
    guard let kernels = document["kernels"]?.string else { throw .malformed("\"kernels\" must be a name") }
    guard let list = document["convolutions"]?.array else {
      throw .malformed("\"convolutions\" must be a list")
    }
    var entries: [Entry] = []
    for (index, value) in list.enumerated() {
      guard let entry = Entry(value) else {
        throw .malformed(
          "convolutions[\(index)] must have input, output, kernel, stride, padding, algorithm and milliseconds, "
            + "each in its range"
        )
      }
      entries.append(entry)
    }
    try self.init(kernels: kernels, entries: entries)
  }
}

/// Milliseconds: a day.
private let longestTime = 86_400_000.0

extension MeasuredChoices.Entry {
  fileprivate var document: JSONValue {
    [
      "input": [.integer(shape.inHeight), .integer(shape.inWidth), .integer(shape.inChannels)],
      "output": [.integer(shape.outHeight), .integer(shape.outWidth), .integer(shape.outChannels)],
      "kernel": [.integer(shape.kernelHeight), .integer(shape.kernelWidth)],
      "stride": .integer(shape.stride), "padding": .integer(shape.padding),
      "algorithm": .string(algorithm.rawValue),
      "milliseconds": .object(
        Dictionary(
          uniqueKeysWithValues: milliseconds.map { ($0.key.rawValue, .rounded($0.value, decimals: 4)) })),
    ]
  }

  fileprivate init?(_ value: JSONValue) {
    func sizes(_ key: String, _ count: Int) -> [Int]? {
      guard let sizes = value[key]?.integers(in: 1...1 << 24), sizes.count == count else { return nil }
      return sizes
    }
    guard
      let input = sizes("input", 3), let output = sizes("output", 3), let kernel = sizes("kernel", 2),
      let stride = value["stride"]?.integer(in: 1...64),
      let padding = value["padding"]?.integer(in: 0...64),
      let algorithm = value["algorithm"]?.string.flatMap(Algorithm.init(rawValue:)),
      let times = value["milliseconds"]?.object
    else { return nil }
    var milliseconds: [Algorithm: Double] = [:]
    for (name, time) in times {
      guard let algorithm = Algorithm(rawValue: name), let time = time.number,
        (0...longestTime).contains(time)
      else { return nil }
      milliseconds[algorithm] = time
    }
    self.init(
      shape: ConvolutionShape(
        inHeight: input[0], inWidth: input[1], inChannels: input[2], outHeight: output[0],
        outWidth: output[1], outChannels: output[2], kernelHeight: kernel[0], kernelWidth: kernel[1],
        stride: stride, padding: padding),
      algorithm: algorithm, milliseconds: milliseconds)
  }
}
