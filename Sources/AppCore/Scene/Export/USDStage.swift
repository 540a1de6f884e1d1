import Geometry

/// Assembles a USD layer in its text form (`.usda`): meters, +y up, one root prim.
///
/// Numbers are the shortest decimals that read back as the same value.
struct USDStage {
  private var text = """
    #usda 1.0
    (
        defaultPrim = "Scene"
        metersPerUnit = 1
        upAxis = "Y"
    )

    def Xform "Scene"
    {

    """
  private var names: Set<String> = []
  private var depth = 1

  /// A layer whose coordinates count from `origin`.
  init(origin: Point3<World> = .origin) {
    guard origin != .origin else { return }
    set("double3 xformOp:translate", "(\(origin.x), \(origin.y), \(origin.z))")
    set("uniform token[] xformOpOrder", "[\"xformOp:translate\"]")
  }

  /// The layer's bytes; nothing can be added after.
  func serialized() -> [UInt8] { Array((text + "}\n").utf8) }

  /// Adds a prim with the lines that `body` adds; `name` is made a valid and unique identifier, and kept as the
  /// display name.
  mutating func add(_ type: String, name: String, _ body: (inout USDStage) -> Void) {
    line("def \(type) \"\(identifier(name))\" (")
    line("    displayName = \(Self.quoted(name))")
    line(")")
    line("{")
    depth += 1
    body(&self)
    depth -= 1
    line("}")
  }

  /// Adds an attribute, for example `point3f[] points`.
  mutating func set(_ attribute: String, _ value: String, interpolation: String? = nil) {
    let metadata = interpolation.map { " (interpolation = \"\($0)\")" } ?? ""
    line("\(attribute) = \(value)\(metadata)")
  }

  /// Adds the transform that takes the prim to the world: columns of a 4x4 matrix, which USD writes as rows.
  ///
  /// - Precondition: all are finite, for USD cannot say others.
  mutating func setTransform(columnMajor m: [Double]) {
    precondition(m.allSatisfy(\.isFinite), "a transform's numbers are finite")
    let rows = (0..<4).map { row in
      "(" + m[4 * row..<4 * row + 4].map(\.description).joined(separator: ", ") + ")"
    }
    set("matrix4d xformOp:transform", "( \(rows.joined(separator: ", ")) )")
    set("uniform token[] xformOpOrder", "[\"xformOp:transform\"]")
  }

  private mutating func line(_ content: String) {
    for _ in 0..<depth { text += "    " }
    text += content
    text += "\n"
  }

  private mutating func identifier(_ name: String) -> String {
    var base = String(
      name.unicodeScalars.map { scalar in
        let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        return isPlain ? Character(scalar) : "_"
      })
    if base.first.map({ $0.isNumber }) ?? true { base = "_" + base }
    var unique = base
    var count = 1
    while !names.insert(unique).inserted {
      count += 1
      unique = "\(base)_\(count)"
    }
    return unique
  }

  // MARK: - Values

  static func quoted(_ text: String) -> String {
    var escaped = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": escaped += "\\" + String(scalar)
      case _ where scalar.value < 0x20: escaped += " "
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }

  /// An array of triples.
  ///
  /// - Precondition: all are finite, for USD cannot say others.
  static func triples(_ values: [Float]) -> String {
    precondition(values.count % 3 == 0, "triples have three numbers")
    precondition(values.allSatisfy(\.isFinite), "coordinates are finite")
    var text = "["
    text.reserveCapacity(values.count * 10)
    for index in stride(from: 0, to: values.count, by: 3) {
      if index > 0 { text += ", " }
      text += "(\(values[index]), \(values[index + 1]), \(values[index + 2]))"
    }
    return text + "]"
  }

  static func integers(_ values: [Int]) -> String {
    "[" + values.map(String.init).joined(separator: ", ") + "]"
  }
}
