import Archives
import FileFormats

/// Instructions of pickle protocol 2, put together by hand.
enum Pickle {
  static func u32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

  /// A whole pickle of one value.
  static func file(_ value: [UInt8]) -> [UInt8] { [0x80, 2] + value + code(".") }

  static func code(_ character: Character) -> [UInt8] { [character.asciiValue!] }

  static func text(_ text: String) -> [UInt8] { code("X") + u32(text.utf8.count) + Array(text.utf8) }

  static func integer(_ value: Int) -> [UInt8] { code("J") + u32(value) }

  static func double(_ value: Double) -> [UInt8] {
    code("G") + (0..<8).reversed().map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
  }

  static func integers(_ values: [Int]) -> [UInt8] { tuple(values.map(integer)) }

  static func tuple(_ values: [[UInt8]]) -> [UInt8] { code("(") + values.flatMap { $0 } + code("t") }

  static func dictionary(_ members: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
    code("}") + code("(") + members.flatMap { $0.key + $0.value } + code("u")
  }

  static func dictionary(_ members: [(String, [UInt8])]) -> [UInt8] {
    dictionary(members.map { (key: text($0.0), value: $0.1) })
  }

  static func global(_ module: String, _ name: String) -> [UInt8] {
    code("c") + Array("\(module)\n\(name)\n".utf8)
  }

  static func call(_ module: String, _ name: String, _ arguments: [[UInt8]]) -> [UInt8] {
    global(module, name) + tuple(arguments) + code("R")
  }

  /// An object of a class, with its attributes.
  static func object(_ module: String, _ name: String, state: [UInt8]) -> [UInt8] {
    global(module, name) + code(")") + [0x81] + state + code("b")
  }

  static func storage(_ type: String, key: String, count: Int) -> [UInt8] {
    tuple([text("storage"), global("torch", type), text(key), text("cpu"), integer(count)]) + code("Q")
  }

  static func tensor(_ storage: [UInt8], offset: Int = 0, shape: [Int], strides: [Int]) -> [UInt8] {
    call(
      "torch._utils", "_rebuild_tensor_v2",
      [
        storage, integer(offset), integers(shape), integers(strides), [0x89],
        call("collections", "OrderedDict", []),
      ])
  }

  /// A contiguous half-precision tensor on the storage "0".
  static func half(_ shape: [Int], storage count: Int) -> [UInt8] {
    var strides = [Int](repeating: 1, count: shape.count)
    for axis in shape.indices.dropLast().reversed() { strides[axis] = strides[axis + 1] * shape[axis + 1] }
    return tensor(storage("HalfStorage", key: "0", count: count), shape: shape, strides: strides)
  }

  /// A module with parameters, buffers and children, as `torch.nn.Module` keeps them.
  static func module(
    parameters: [(String, [UInt8])] = [], buffers: [(String, [UInt8])] = [],
    children: [(String, [UInt8])] = [],
    attributes: [(String, [UInt8])] = []
  ) -> [UInt8] {
    object(
      "some.library", "Block",
      state: dictionary(
        [
          ("_parameters", dictionary(parameters)), ("_buffers", dictionary(buffers)),
          ("_modules", dictionary(children)),
        ] + attributes))
  }

  /// The archive that `torch.save` would write.
  static func archive(
    _ pickle: [UInt8], storages: [String: [UInt8]] = ["0": [0, 0x3c, 0, 0x40]], byteOrder: String = "little"
  ) -> [UInt8] {
    ZipWriter.archive(
      [(name: "c/data.pkl", bytes: pickle), (name: "c/byteorder", bytes: Array(byteOrder.utf8))]
        + storages.sorted { $0.key < $1.key }.map { (name: "c/data/\($0.key)", bytes: $0.value) })
  }
}
