import FileFormats
import Foundation
import NNRuntime
import TestSupport
import Testing

@Suite struct WeightStoreTests {
  private func store() -> WeightStore {
    WeightStore(
      tensors: [
        "model.0.conv.weight": Tensor(shape: [2, 3], floats: [1, 2, 3, 4, 5, 6]),
        "model.0.conv.bias": Tensor(shape: [2], roundingToHalf: [0.5, -2]),
        "model.1.steps": Tensor(shape: [], dtype: .int64, storage: TensorStorage(copying: [7 as Int64])),
        "model.1.bad": Tensor(shape: [3], floats: [0, .nan, .infinity]),
      ], metadata: ["architecture": "test"], file: "test")
  }

  @Test func scopesNestAndUsageIsTracked() throws {
    let store = store()
    let conv = store.root["model"][0]["conv"]
    #expect(conv.prefix == "model.0.conv")
    #expect(conv.names == ["model.0.conv.bias", "model.0.conv.weight"])
    #expect(try conv.tensor("weight", shape: [2, 3])[1, 2] == 6)
    #expect(store.unusedNames == ["model.0.conv.bias", "model.1.bad", "model.1.steps"])
    #expect(try store.root["model.0"]["conv"].tensor("bias", shape: [2]).floats() == [0.5, -2])
    try store.verifyAllUsed(ignoring: ["model.1."])
    let error = #expect(throws: WeightError.self) { try store.verifyAllUsed(ignoring: ["model.1.steps"]) }
    #expect(error?.kind == .unused(["model.1.bad"]))
  }

  @Test func misfitsAreNamed() throws {
    let root = store().root
    func check(_ name: String, _ shape: [Int], _ kind: WeightError.Kind) {
      let error = WeightError(kind, tensor: name, file: "test")
      #expect(throws: error) { try root.tensor(name, shape: shape) }
    }
    check(
      "model.0.conv.weigth", [2], .missing(nearest: ["model.0.conv.weight", "model.0.conv.bias"]))
    check("zzz", [2], .missing(nearest: []))
    check("model.0.conv.weight", [3, 2], .wrongShape(found: [2, 3], expected: [3, 2]))
    check("model.1.steps", [], .notFloat(.int64))
    check("model.1.bad", [3], .nonFinite(index: 1))
  }

  /// Networks compute in single precision: doubles that round to infinity there are refused, smaller ones are not.
  @Test(arguments: [
    (3.5e38, false), (-1e300, false), (0x1p128 - 0x1p103, false), (-(0x1p128 - 0x1.8p103), true),
    (1e38, true),
    (.infinity, false), (.nan, false), (-0.0, true),
  ]) func doublesBeyondSinglePrecisionAreNotFinite(_ value: Double, isSound: Bool) throws {
    let tensor = Tensor(shape: [3], dtype: .float64, storage: TensorStorage(copying: [0.5, value, 1]))
    let store = WeightStore(tensors: ["w": tensor], metadata: [:], file: "test")
    #expect(tensor.floats()[1].isFinite == isSound)
    if isSound {
      #expect(try store.weight(named: "w", shape: [3]).floats().count == 3)
    } else {
      let error = #expect(throws: WeightError.self) { try store.weight(named: "w", shape: [3]) }
      #expect(error?.kind == .nonFinite(index: 1))
    }
  }

  @Test func writtenFilesReadBack() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("a.safetensors")
    let tensors: [String: Tensor] = [
      "b": Tensor(shape: [2, 2], floats: [1, 2, 3, .infinity]),
      "a": Tensor(shape: [3], roundingToHalf: [1, 2, 65504]),
      "c": Tensor(shape: [], dtype: .float64, storage: TensorStorage(copying: [0.1])),
      "empty": Tensor(shape: [0, 4], floats: []),
      "flag": Tensor(shape: [1], dtype: .bool, storage: TensorStorage(copying: [1 as UInt8])),
    ]
    try SafetensorsWriter.write(tensors, metadata: ["k": "v\n\"é"], to: path, overwrite: false)
    let store = try WeightStore(path: path, allowNonFinite: true)
    #expect(store.names == ["a", "b", "c", "empty", "flag"])
    #expect(store.metadata == ["k": "v\n\"é"])
    for (name, tensor) in tensors {
      let read = try store.tensor(named: name)
      #expect(read.shape == tensor.shape && read.dtype == tensor.dtype && read.floats() == tensor.floats())
    }
    let first = try folder.read("a.safetensors")
    try SafetensorsWriter.write(tensors, metadata: ["k": "v\n\"é"], to: path, overwrite: true)
    #expect(try folder.read("a.safetensors") == first)
  }

  @Test func writerKeepsTheGivenOrderAndLeavesNothingWhenAbandoned() throws {
    let folder = try TemporaryDirectory()
    do {
      let writer = try SafetensorsWriter(
        path: folder.file("a"), entries: [.init(name: "z", dtype: .float32, shape: [1])], overwrite: false)
      try writer.append(Tensor(shape: [1], floats: [1]))
    }
    #expect(try folder.entries() == [])
  }

  @Test func everyBinary16ValueConvertsExactly() {
    let all = (0...UInt16.max).map { $0 }
    let floats = HalfPrecision.floats(fromBinary16: all.span)
    for (bits, float) in zip(all, floats) {
      let expected = Float(Float16(bitPattern: bits))
      #expect(float == expected || float.isNaN && expected.isNaN, "\(bits)")
      if !float.isNaN { #expect(HalfPrecision.binary16(from: float) == bits) }
    }
    // Halfway cases and their neighbors round as the type itself does.
    for bits in stride(from: UInt32(0x3300_0000), to: 0x4780_0000, by: 0xfff) {
      let value = Float(bitPattern: bits)
      #expect(HalfPrecision.binary16(from: value) == Float16(value).bitPattern, "\(value)")
    }
  }

  @Test func weightsThatWereReadDoNotStayInMemory() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("large.safetensors")
    let tensor = Tensor(shape: [1 << 20], floats: [Float](repeating: 1, count: 1 << 20))
    try SafetensorsWriter.write(["large": tensor], to: path, overwrite: false)
    let store = try WeightStore(path: path)
    let weight = try store.root.tensor("large", shape: [1 << 20])
    #expect(try residentKilobytes(of: path) < 256)
    #expect(weight.floats() == tensor.floats())
    #expect(try residentKilobytes(of: path) < 256)
    weight.storage.withBytes { bytes in
      #expect(bytes[3] == 0x3f && bytes[(1 << 22) - 1] == 0x3f)
    }
  }

  /// Memory that this process has of the mapping of `path`.
  private func residentKilobytes(of path: String) throws -> Int {
    let handle = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
    let lines = String(decoding: try #require(try handle.readToEnd()), as: UTF8.self).split(separator: "\n")
    let mapping = try #require(lines.firstIndex { $0.hasSuffix(path) })
    let resident = try #require(lines[mapping...].first { $0.hasPrefix("Rss:") })
    return try #require(Int(resident.filter(\.isNumber)))
  }

  @Test(.enabled(if: SharedData.exists("weights"), "real weights are not present beside the package"))
  func depthWeightsOpenAndConvert() throws {
    let store = try WeightStore(path: SharedData.path("weights/dav2s-ardf-fp16.safetensors"))
    #expect(store.names.count == 239)
    var count = 0
    for name in store.names {
      let tensor = try store.root.tensor(name, shape: store.tensor(named: name).shape)
      count += tensor.floats().count
    }
    #expect(count == 24_785_089)
    try store.verifyAllUsed()
  }
}
