import Archives
import FileFormats
import HTTPServing
import Imaging
import InferenceProtocol
import Models
import NNRuntime
import ONNX

/// Pictures of a fuzzer stay small: time goes into structure, not into pixels.
private let smallPictures = ImageLimits(maxPixels: 1 << 16, maxFileBytes: 1 << 20)

/// A model with an input of every datatype, all of which it gives back.
private let echo = ModelDescription(
  name: "echo", platform: "test",
  inputs: [TensorDescription("BYTES", .bytes, [-1])]
    + Datatype.allCases.dropLast().map { TensorDescription($0.rawValue, $0, [-1, -1], isOptional: true) },
  outputs: Datatype.allCases.map { TensorDescription($0.rawValue, $0, [-1]) })

extension ParserTarget {
  /// Binary formats, read from memory.
  static let formats: [ParserTarget] = [
    ParserTarget("safetensors") { bytes in
      let store = try WeightStore(bytes: bytes, file: "w", allowNonFinite: true)
      for name in store.names { _ = try store.tensor(named: name).floats() }
    },
    ParserTarget("npy") { bytes in
      let array = try NPYArray.read(bytes: bytes)
      precondition(array.floats().count == array.shape.reduce(1, *), "elements and shape differ")
    },
    ParserTarget("npz") { bytes in
      let archive = try NPZArchive(bytes: bytes)
      for name in archive.names { _ = try archive.array(named: name) }
    },
    ParserTarget("zip") { bytes in
      let limits = ZipArchive.Limits(members: 1000, memberBytes: 1 << 20)
      let archive = try ZipArchive(FileBytes(bytes), limits: limits)
      for member in archive.members {
        let count = try archive.contents(of: member).count
        precondition(count == member.size, "a member of another size")
      }
    },
    ParserTarget("onnx") { bytes in
      let model = try ONNXModel(FileBytes(bytes), path: "model.onnx")
      try model.tryOut(elements: 1 << 12, steps: 1000)
    },
    ParserTarget("checkpoint", acceptsSeeds: false) {
      _ = try CheckpointConverter.read(FileBytes($0), file: "c")
    },
    // The archive around it is sound, so that the pickle itself is what is tried.
    ParserTarget("pickle", acceptsSeeds: false) { bytes in
      let archive = ZipWriter.archive([
        (name: "c/data.pkl", bytes: bytes), (name: "c/data/0", bytes: [0, 0x3c, 0, 0x40]),
      ])
      _ = try CheckpointConverter.read(FileBytes(archive), file: "c")
    },
    ParserTarget("png") { bytes in
      _ = try ImageCodec.decode(bytes, limits: smallPictures)
      _ = try ImageCodec.decodeRGBA(bytes, limits: smallPictures)
    },
    ParserTarget("png-gray16") { _ = try ImageCodec.decodeGray16($0, limits: smallPictures) },
    ParserTarget("png-gray8") { _ = try ImageCodec.decodeGray8($0, limits: smallPictures) },
    ParserTarget("jpeg") { _ = try ImageCodec.decode($0, limits: smallPictures).upright() },
    // What is not in their libraries: the structure that is checked before them, their colors, and how they are called. A
    // machine without them refuses all.
    ParserTarget("heif", acceptsSeeds: false) { _ = try ImageCodec.header($0, limits: smallPictures) },
    ParserTarget("webp", acceptsSeeds: false) { _ = try ImageCodec.decodeRGBA($0, limits: smallPictures) },
    ParserTarget("tiff", acceptsSeeds: false) { _ = try ImageCodec.decode($0, limits: smallPictures) },
    ParserTarget("jpeg2000", acceptsSeeds: false) { _ = try ImageCodec.decode($0, limits: smallPictures) },
    ParserTarget("bmp") { _ = try ImageCodec.decode($0, limits: smallPictures) },
    ParserTarget("pnm") { _ = try ImageCodec.decode($0, limits: smallPictures) },
    ParserTarget("exr") { _ = try OpenEXR.plane($0, limit: 1 << 16) },
    ParserTarget("lzfse") { bytes in
      let count = try LZFSE.decompress(bytes, limit: 1 << 16).count
      precondition(count <= 1 << 16, "more bytes than the limit")
    },
    ParserTarget("request") { _ = try RequestHead($0) },
    // Two bytes say how long the JSON is, all ones that there is nothing else.
    ParserTarget("inference-request") { bytes in
      let length = bytes.prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) }
      let (body, headerLength) = (Array(bytes.dropFirst(2)), length == 0xffff ? nil : "\(length)")
      precondition(
        InferenceRequest.parsingBytes(of: body, headerLength: headerLength) >= 0, "less than no memory")
      let request = try InferenceRequest(body, headerLength: headerLength)
      try request.check(for: echo)
      let held = request.tensorBytes
      let tensors = try request.tensors(for: echo)
      precondition(
        tensors.values.allSatisfy { $0.elements.areFinite }, "an element that is infinite or no number")
      precondition(
        tensors.values.reduce(0) { $0 + $1.elements.leastBytes } <= held, "more memory than was reserved")
      for tensor in tensors.values {
        precondition(tensor.shape.reduce(1, *) == tensor.elements.count, "elements and shape differ")
      }
      let plan = InferenceResponse.Plan(
        tensors.values.sorted { $0.name < $1.name }, of: echo, to: request.withoutInputs)
      let response = InferenceResponse(plan)
      precondition(response.body.count <= plan.mostBytes, "an answer longer than was reserved")
      let head = try JSONValue.parse(Array(response.body[..<(response.headerLength ?? response.body.count)]))
      precondition(head["outputs"]?.array != nil, "an answer without outputs")
      _ = try request.withoutInputs.timeout()
      for name in ["conf", "iou"] { _ = try request.withoutInputs.number(name, in: 0...1) }
      for name in ["max_det", "orientation", "top"] { _ = try request.withoutInputs.integer(name, in: 1...8) }
    },
    ParserTarget("run-lengths") { bytes in
      let side = Int(bytes.first ?? 0)
      let mask = try RunLengthMask(
        height: side, width: side, counts: String(decoding: bytes.dropFirst(), as: UTF8.self))
      precondition(mask.mask.count == side * side, "a mask of another size")
      let again = try RunLengthMask(height: side, width: side, counts: mask.counts)
      precondition(again == mask, "a mask that does not come back")
    },
  ]
}

extension ProtocolTensor.Elements {
  /// Whether no element is infinite or no number.
  fileprivate var areFinite: Bool {
    switch self {
    case .floats(let elements): elements.allSatisfy(\.isFinite)
    case .doubles(let elements): elements.allSatisfy(\.isFinite)
    case .octets, .integers, .texts: true
    }
  }

  /// Bytes that they take at least.
  fileprivate var leastBytes: Int {
    switch self {
    case .floats(let elements): elements.count * MemoryLayout<Float>.stride
    case .doubles(let elements): elements.count * MemoryLayout<Double>.stride
    case .octets(let elements): elements.count
    case .integers(let elements): elements.count * MemoryLayout<Int>.stride
    case .texts(let elements): elements.reduce(0) { $0 + MemoryLayout<[UInt8]>.stride + $1.count }
    }
  }
}
