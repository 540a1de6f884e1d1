import FileFormats
import Geometry

/// Assembles a binary glTF 2.0 asset: buffer views and accessors with their bounds, materials, meshes, nodes.
///
/// Every accessor starts at a multiple of 4 bytes and has elements whose size is one, as vertex attributes must.
struct GLBBuilder {
  /// How the vertices of a primitive are joined (glTF `primitive.mode`).
  enum Topology: Int {
    case points = 0
    case lines = 1
    case triangles = 4
  }

  /// Unlit, so that lines and points show their own colors whatever the light.
  struct Material: Hashable {
    var name: String
    /// Linear red, green, blue and alpha in 0...1.
    var baseColor: [Double]
    var isDoubleSided = false
    /// A texture that the base color multiplies.
    var texture: Int?
  }

  private var binary: [UInt8] = []
  private var bufferViews: [JSONValue] = []
  private var accessors: [JSONValue] = []
  private var materials: [JSONValue] = []
  private var materialIndices: [Material: Int] = [:]
  private var meshes: [JSONValue] = []
  private var cameras: [JSONValue] = []
  private var images: [JSONValue] = []
  private var textures: [JSONValue] = []
  private var nodes: [JSONValue] = []
  private var roots: [JSONValue] = []

  private let origin: Point3<World>

  /// An empty asset, whose coordinates count from `origin`.
  init(origin: Point3<World> = .origin) { self.origin = origin }

  private enum ComponentType: Int {
    case unsignedShort = 5123
    case unsignedInt = 5125
    case float = 5126
  }

  private enum Target: Int {
    case vertices = 34962
    case indices = 34963
  }

  // MARK: - Accessors

  /// The accessor of positions, at least one, as x, y, z triples.
  mutating func addPositions(_ coordinates: [Float]) -> Int {
    precondition(!coordinates.isEmpty && coordinates.count % 3 == 0, "positions are triples")
    var least = Array(coordinates[0..<3])
    var greatest = least
    var bytes: [UInt8] = []
    bytes.reserveCapacity(coordinates.count * 4)
    for (index, coordinate) in coordinates.enumerated() {
      least[index % 3] = min(least[index % 3], coordinate)
      greatest[index % 3] = max(greatest[index % 3], coordinate)
      bytes.appendLittleEndian(coordinate)
    }
    return addAccessor(
      bytes, .float, "VEC3", count: coordinates.count / 3, target: .vertices,
      [
        "min": .array(least.map { .number(Double($0)) }), "max": .array(greatest.map { .number(Double($0)) }),
      ])
  }

  /// The accessor of opaque, linear colors as red, green, blue triples.
  mutating func addLinearColors(_ components: [UInt16]) -> Int {
    precondition(!components.isEmpty && components.count % 3 == 0, "colors are triples")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(components.count / 3 * 8)
    for index in stride(from: 0, to: components.count, by: 3) {
      bytes.appendLittleEndian(components[index])
      bytes.appendLittleEndian(components[index + 1])
      bytes.appendLittleEndian(components[index + 2])
      bytes.appendLittleEndian(UInt16.max)
    }
    return addAccessor(
      bytes, .unsignedShort, "VEC4", count: components.count / 3, target: .vertices, ["normalized": true])
  }

  /// The accessor of places on a texture as u, v pairs, from its top-left corner.
  mutating func addTextureCoordinates(_ coordinates: [Float]) -> Int {
    precondition(!coordinates.isEmpty && coordinates.count % 2 == 0, "texture coordinates are pairs")
    var bytes: [UInt8] = []
    for coordinate in coordinates { bytes.appendLittleEndian(coordinate) }
    return addAccessor(bytes, .float, "VEC2", count: coordinates.count / 2, target: .vertices, [:])
  }

  /// The texture of a JPEG picture, which becomes part of the file.
  mutating func addTexture(jpeg bytes: [UInt8], name: String) -> Int {
    bufferViews.append([
      "buffer": 0, "byteOffset": .integer(binary.count), "byteLength": .integer(bytes.count),
    ])
    binary += bytes
    // What follows starts at a multiple of 4 again.
    binary += [UInt8](repeating: 0, count: (4 - binary.count % 4) % 4)
    images.append([
      "bufferView": .integer(bufferViews.count - 1), "mimeType": "image/jpeg", "name": .string(name),
    ])
    textures.append(["source": .integer(images.count - 1), "sampler": 0])
    return textures.count - 1
  }

  /// The accessor of vertex indices.
  mutating func addIndices(_ indices: [UInt32]) -> Int {
    precondition(!indices.isEmpty, "a primitive joins at least one vertex")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(indices.count * 4)
    for index in indices { bytes.appendLittleEndian(index) }
    return addAccessor(bytes, .unsignedInt, "SCALAR", count: indices.count, target: .indices, [:])
  }

  private mutating func addAccessor(
    _ bytes: [UInt8], _ component: ComponentType, _ type: String, count: Int, target: Target,
    _ extra: [String: JSONValue]
  ) -> Int {
    // All elements are multiples of 4 bytes, so the next accessor stays aligned without padding.
    assert(binary.count % 4 == 0 && bytes.count % 4 == 0)
    bufferViews.append([
      "buffer": 0, "byteOffset": .integer(binary.count), "byteLength": .integer(bytes.count),
      "target": .integer(target.rawValue),
    ])
    binary += bytes
    let own: [String: JSONValue] = [
      "bufferView": .integer(bufferViews.count - 1), "componentType": .integer(component.rawValue),
      "count": .integer(count), "type": .string(type),
    ]
    accessors.append(.object(own.merging(extra) { $1 }))
    return accessors.count - 1
  }

  // MARK: - Materials, meshes, nodes

  mutating func add(_ material: Material) -> Int {
    if let index = materialIndices[material] { return index }
    var surface: [String: JSONValue] = [
      "baseColorFactor": .array(material.baseColor.map(JSONValue.number)), "metallicFactor": 0.0,
      "roughnessFactor": 1.0,
    ]
    if let texture = material.texture { surface["baseColorTexture"] = ["index": .integer(texture)] }
    var fields: [String: JSONValue] = [
      "name": .string(material.name), "pbrMetallicRoughness": .object(surface),
      "extensions": ["KHR_materials_unlit": .object([:])],
    ]
    if material.baseColor[3] < 1 { fields["alphaMode"] = "BLEND" }
    if material.isDoubleSided { fields["doubleSided"] = true }
    materials.append(.object(fields))
    materialIndices[material] = materials.count - 1
    return materials.count - 1
  }

  /// A primitive of a mesh.
  func primitive(
    _ topology: Topology, positions: Int, colors: Int? = nil, textureCoordinates: Int? = nil,
    indices: Int? = nil, material: Int
  ) -> JSONValue {
    var attributes: [String: JSONValue] = ["POSITION": .integer(positions)]
    if let colors { attributes["COLOR_0"] = .integer(colors) }
    if let textureCoordinates { attributes["TEXCOORD_0"] = .integer(textureCoordinates) }
    var fields: [String: JSONValue] = [
      "attributes": .object(attributes), "mode": .integer(topology.rawValue), "material": .integer(material),
    ]
    if let indices { fields["indices"] = .integer(indices) }
    return .object(fields)
  }

  mutating func addMesh(name: String, _ primitives: [JSONValue]) -> Int {
    meshes.append(["name": .string(name), "primitives": .array(primitives)])
    return meshes.count - 1
  }

  mutating func addCamera(verticalFieldOfView: Double, aspectRatio: Double, nearest: Double) -> Int {
    cameras.append([
      "type": "perspective",
      "perspective": [
        "yfov": .number(verticalFieldOfView), "aspectRatio": .number(aspectRatio), "znear": .number(nearest),
      ],
    ])
    return cameras.count - 1
  }

  /// A node with fields of its own, such as `mesh` or `translation`; `root` puts it directly into the scene.
  @discardableResult
  mutating func addNode(name: String, _ fields: [String: JSONValue], root: Bool = true) -> Int {
    nodes.append(.object(fields.merging(["name": .string(name)]) { $1 }))
    if root { roots.append(.integer(nodes.count - 1)) }
    return nodes.count - 1
  }

  /// The asset's file.
  func serialized() -> [UInt8] {
    var (nodes, roots) = (nodes, roots)
    if origin != .origin, !roots.isEmpty {
      nodes.append([
        "name": "origin", "children": .array(roots),
        "translation": [.number(origin.x), .number(origin.y), .number(origin.z)],
      ])
      roots = [.integer(nodes.count - 1)]
    }
    var root: [String: JSONValue] = [
      "asset": ["version": "2.0", "generator": "ardf"], "scene": 0,
      "scenes": [roots.isEmpty ? ["name": "scene"] : ["name": "scene", "nodes": .array(roots)]],
    ]
    // The specification forbids empty arrays.
    for (name, list) in [
      ("accessors", accessors), ("bufferViews", bufferViews), ("cameras", cameras), ("images", images),
      ("materials", materials), ("meshes", meshes), ("nodes", nodes), ("textures", textures),
    ] where !list.isEmpty {
      root[name] = .array(list)
    }
    if !textures.isEmpty {
      let (linear, linearMipmapLinear, clampToEdge) = (9729, 9987, 33071)
      root["samplers"] = [
        [
          "magFilter": .integer(linear), "minFilter": .integer(linearMipmapLinear),
          "wrapS": .integer(clampToEdge), "wrapT": .integer(clampToEdge),
        ]
      ]
    }
    if !binary.isEmpty { root["buffers"] = [["byteLength": .integer(binary.count)]] }
    if !materials.isEmpty { root["extensionsUsed"] = ["KHR_materials_unlit"] }
    return GLBContainer.pack(json: Array(JSONValue.object(root).serialized().utf8), binary: binary)
  }
}
