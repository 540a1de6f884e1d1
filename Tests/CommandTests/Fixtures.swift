import Digests
import FileFormats
import Foundation
import Imaging
import Models
import NNRuntime
import TestSupport

/// Networks of reduced width with random weights: what they find means nothing, but they run like the real ones.
enum TinyNetwork {
  static let detector = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/yolo11-tiny-n.safetensors"
  static let depth = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/depth-tiny.safetensors"
  /// At this threshold the random detector finds something in the pictures below.
  static let conf = "0.05"
  /// Options that make commands use them on small inputs.
  static let detectorOptions = ["--yolo", detector, "--imgsz", "64", "--conf", conf, "--max-det", "8"]
  static let depthOptions = ["--depth", depth, "--depth-size", "42"]

  /// Writes `mine.pt`, and `network` as the weight file that was made from it, in the cache of the user whose home is
  /// `place`.
  ///
  /// - `isDamaged`: whether the weight file has a tensor that no network knows.
  static func writeConverted(_ network: String, in place: TemporaryDirectory, isDamaged: Bool = false) throws
  {
    let checkpoint = Array("checkpoint".utf8)
    try place.write(checkpoint, to: "mine.pt")
    let store = try WeightStore(path: network)
    var tensors = Dictionary(uniqueKeysWithValues: try store.names.map { ($0, try store.tensor(named: $0)) })
    if isDamaged { tensors["extra"] = Tensor(shape: [1], floats: [0]) }
    let made = ".cache/ardf/\(sha256Hex(checkpoint))-mine.pt.safetensors"
    try place.write([], to: made)
    try SafetensorsWriter.write(
      tensors, metadata: store.metadata.merging(["format": CheckpointConverter.formatVersion]) { $1 },
      to: place.file(made), overwrite: true)
  }
}

/// A made-up iPhone capture: a sloping wall with a block in front of it.
enum SyntheticCapture {
  static let width = 128
  static let height = 96

  struct Options {
    var withDepth = true
    var withConfidence = true
    var flatDepth = false
    var depthOfNaN = false
  }

  /// Writes a capture of one frame in the native layout.
  static func write(to folder: String, options: Options = Options(), timestamp: Double = 1) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try write(encoded(phase: Int(timestamp)), to: "\(folder)/image.png")
    var fields: [String: JSONValue] = [
      "schema": "ardf.capture/1", "image": "image.png", "imageSize": [.integer(width), .integer(height)],
      "intrinsics": [100.0, 0, 0, 0, 100.0, 0, 63.5, 47.5, 1],
      "cameraToWorld": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
      "orientation": "landscapeRight", "timestamp": .number(timestamp),
    ]
    let (columns, rows) = (64, 48)
    if options.withDepth {
      let depth = (0..<columns * rows).map { index -> Float in
        if options.depthOfNaN { return .nan }
        if options.flatDepth { return 2 }
        let (x, y) = (index % columns, index / columns)
        return (20..<44).contains(x) && (14..<40).contains(y) ? 1.2 : 2 + Float(x) / 64
      }
      try write(NPYArray(shape: [rows, columns], floats: depth).encoded(), to: "\(folder)/depth.npy")
      fields["depth"] = "depth.npy"
      if options.withConfidence {
        let sure = [UInt8](repeating: 2, count: columns * rows)
        try write(NPYArray(shape: [rows, columns], .uint8(sure)).encoded(), to: "\(folder)/confidence.npy")
        fields["confidence"] = "confidence.npy"
      }
    }
    try write(Array(JSONValue.object(fields).serialized().utf8), to: "\(folder)/frame.json")
  }

  /// Writes a sequence of single captures.
  static func writeSequence(of count: Int, to folder: String) throws {
    for index in 0..<count { try write(to: "\(folder)/f\(1000 + index)", timestamp: Double(index)) }
  }

  /// Relative depth that fits the capture's: 1 / Z, on another grid.
  static func relative() -> NPYArray {
    let (columns, rows) = (128, 96)
    let values = (0..<columns * rows).map { index -> Float in
      let (x, y) = (Float(index % columns) / 2, Float(index / columns) / 2)
      let depth: Float = (20..<44).contains(x) && (14..<40).contains(y) ? 1.2 : 2 + x / 64
      return 3 / depth - 0.5
    }
    return NPYArray(shape: [rows, columns], floats: values)
  }

  /// A picture as a PNG.
  static func encoded(phase: Int = 0) throws -> [UInt8] { try ImageCodec.encodePNG(picture(phase: phase)) }

  /// A picture of stripes and blocks.
  static func picture(phase: Int = 0) -> RGBImage {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let isBlock = (40..<88).contains(x) && (28..<80).contains(y)
        pixels.append(isBlock ? 220 : UInt8((x * 2 + phase * 7) % 256))
        pixels.append(isBlock ? UInt8(y * 2) : UInt8((y * 2 + x) % 256))
        pixels.append(UInt8((x / 8 + y / 8) % 2 * 120 + 40))
      }
    }
    return RGBImage(width: width, height: height, pixels: pixels)
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}

/// Every file below a folder with its digest; pages without the line that says how long stages took.
func digests(of folder: String) throws -> [String: String] {
  var digests: [String: String] = [:]
  for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
    let path = "\(folder)/\(name)"
    do {
      guard name.hasSuffix("report.html") else {
        digests[name] = try sha256Hex(path: path)
        continue
      }
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      digests[name] = sha256Hex(Array(lines.filter { !$0.contains("id=\"timing\"") }.joined().utf8))
    } catch FileError.isDirectory {
      continue
    }
  }
  return digests
}
