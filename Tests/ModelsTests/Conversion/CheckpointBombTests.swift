import FileFormats
import Models
import NNRuntime
import TestSupport
import Testing

/// Checkpoints that are small and promise much, refused before what they promise is made.
@Suite struct CheckpointBombTests {
  private func error(_ file: [UInt8]) -> CheckpointError? {
    do throws(CheckpointError) {
      _ = try CheckpointConverter.read(FileBytes(file), file: "c")
      return nil
    } catch {
      return error
    }
  }

  private func error(pickle value: [UInt8]) -> CheckpointError? {
    error(Pickle.archive(Pickle.file(value)))
  }

  /// All tensors of YOLO11-seg in half precision, each a view of the storage "0"; the bins of the distances of "1".
  private func network(_ variant: YOLOVariant, storage count: Int? = nil) -> (
    pickle: [UInt8], count: Int
  ) {
    let shapes = YOLOCheckpoint.layout(YOLOArchitecture(variant, classCount: 3)).shapes
    let count = count ?? shapes.values.map { $0.reduce(1, *) }.max() ?? 0
    let bins = Pickle.tensor(
      Pickle.storage("HalfStorage", key: "1", count: 16), shape: [1, 16, 1, 1], strides: [16, 1, 1, 1])
    let tensors = shapes.sorted { $0.key < $1.key }.map {
      ($0.key, $0.key.hasSuffix(".dfl.conv.weight") ? bins : Pickle.half($0.value, storage: count))
    }
    return (Pickle.file(Pickle.dictionary([("model", Pickle.dictionary(tensors))])), count)
  }

  private func packed(_ pickle: [UInt8], storage: [UInt8], isDamaged: Bool) -> [UInt8] {
    PackedArchive.bytes(
      of: [("c/data.pkl", pickle), ("c/data/0", storage), ("c/data/1", PickledNetwork.bins)],
      damaged: isDamaged ? ["c/data/0"] : [])
  }

  @Test func aCompressedStorageMustBeInProportion() {
    let (pickle, count) = network(.n, storage: 24 << 20)
    let refused = error(packed(pickle, storage: [UInt8](repeating: 0, count: 2 * count), isDamaged: true))
    guard case .unpacksTooLarge(2 * count, _)? = refused?.kind else {
      Issue.record("found \(String(describing: refused))")
      return
    }
  }

  @Test func aCompressedStorageIsUnpackedOnce() throws {
    let (pickle, count) = network(.n)
    let file = packed(pickle, storage: [UInt8](repeating: 0x38, count: 2 * count), isDamaged: false)
    let checkpoint = try CheckpointConverter.read(FileBytes(file), file: "c")
    #expect(checkpoint.tensors.count == 471)
    #expect(
      checkpoint.tensors["model.0.bn.bias"]?.floats()
        == [Float](repeating: Float(Float16(bitPattern: 0x3838)), count: 16))
  }

  /// Half a gigabyte of copies from ten megabytes.
  @Test func viewsOfOneStorageMustBeInProportion() {
    let (pickle, count) = network(.x)
    let refused = error(
      Pickle.archive(
        pickle, storages: ["0": [UInt8](repeating: 0, count: 2 * count), "1": PickledNetwork.bins]))
    guard case .unpacksTooLarge? = refused?.kind else {
      Issue.record("found \(String(describing: refused))")
      return
    }
  }

  /// A file that is not a network is recognized by its names; none of its storages is read.
  @Test func namesComeBeforeStorages() {
    let pickle = Pickle.file(Pickle.dictionary([("w", Pickle.half([2], storage: 2))]))
    let refused = error(packed(pickle, storage: [0, 1, 2, 3], isDamaged: true))
    guard case .unknownArchitecture? = refused?.kind else {
      Issue.record("found \(String(describing: refused))")
      return
    }
  }

  /// A shape from the memo counts in every tensor that has it.
  @Test func longShapesAreRefused() {
    let shape = [Int](repeating: 1, count: 65)
    let refused = error(
      pickle: Pickle.tensor(Pickle.storage("HalfStorage", key: "0", count: 2), shape: shape, strides: shape))
    guard case .pickle(.malformedTensor)? = refused?.kind else {
      Issue.record("found \(String(describing: refused))")
      return
    }
  }

  private let memo: [UInt8] = [UInt8(ascii: "q"), 0]
  private let recall: [UInt8] = [UInt8(ascii: "h"), 0]

  @Test func tensorsAreCounted() {
    let view = Pickle.half([2], storage: 2)
    let call = Pickle.global("torch._utils", "_rebuild_tensor_v2")
    let arguments = Pickle.tuple([
      Pickle.storage("HalfStorage", key: "0", count: 2), Pickle.integer(0), Pickle.integers([2]),
      Pickle.integers([1]),
    ])
    let again: [UInt8] = Array("h\u{0}h\u{1}R0".utf8)
    let code =
      call + memo + arguments + Array("q\u{1}00".utf8) + (0..<20_001).flatMap { _ in again } + view
    #expect(error(pickle: code)?.kind == .pickle(.limitReached("tensors", limit: 20_000)))
  }

  /// A class's name may be put together from texts of the memo, again and again.
  @Test func namesOfClassesAreBounded() {
    let long = Pickle.text(String(repeating: "x", count: 600))
    #expect(
      error(pickle: long + memo + recall + [0x93])?.kind
        == .pickle(.limitReached("bytes in the name of a class", limit: 1000)))
  }

  @Test func namesOfTensorsAreBounded() {
    let long = String(repeating: "x", count: 600)
    let module = Pickle.module(children: [
      (long, Pickle.module(parameters: [(long, Pickle.half([2], storage: 2))]))
    ])
    #expect(error(pickle: Pickle.dictionary([("model", module)]))?.kind == .nameTooLong(limit: 1000))
  }

  /// One table of attributes, shared by many modules, is looked through for each.
  @Test func attributesAreCounted() {
    let many = (0..<2000).map { ("a\($0)", Pickle.integer($0)) }
    let leaf = Pickle.module(attributes: many)
    let children = Pickle.dictionary((0..<2000).map { ("m\($0)", $0 == 0 ? leaf + memo : recall) })
    let module = Pickle.object(
      "some.library", "Block",
      state: Pickle.dictionary([("_modules", children)]))
    #expect(
      error(pickle: Pickle.dictionary([("model", module)]))?.kind == .tooManyAttributes(limit: 10_000_000))
  }

  @Test func namesOfOneTextAreBounded() {
    let classes = 2000
    var network = PickledNetwork(yolo: YOLOArchitecture(.n, classCount: classes))
    let long = Pickle.text(String(repeating: "x", count: 1000))
    network.attributes = [("names", Pickle.tuple((0..<classes).map { $0 == 0 ? long + memo : recall }))]
    let file = network.checkpoint()
    #expect(error(file)?.kind == .classNamesTooLong(limit: 1 << 20))
  }
}
