// Sixteen elements between memory and registers; in registers all are floats.

@inline(__always)
func load(_ pointer: UnsafePointer<Float>) -> Vector {
  UnsafeRawPointer(pointer).loadUnaligned(as: Vector.self)
}

@inline(__always)
func store(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: vector, as: Vector.self)
}

/// What lies in a map, as a type, so that a loop is compiled once for each.
protocol MapElement {
  /// Bytes.
  static var size: Int { get }
  /// Sixteen elements.
  static func load(_ pointer: UnsafeRawPointer) -> Vector
}

/// Single precision.
enum Float32Element: MapElement {
  @inline(__always) static var size: Int { MemoryLayout<Float>.size }
  @inline(__always) static func load(_ pointer: UnsafeRawPointer) -> Vector {
    pointer.loadUnaligned(as: Vector.self)
  }
}
