// The matrices of Winograd convolutions along one axis, applied to vectors of sixteen channels: with
//   Y = A^T [ (G g) * (B^T d) ]
// the matrix G takes the taps g to frequencies, B^T the inputs d, and A^T the products back to outputs.

/// F(n x n, k x k): the transforms of one axis, applied to both.
///
/// Every function takes vectors from `read` and hands its results to `write`, by index.
protocol WinogradTransform: SendableMetatype {
  /// Output pixels of a tile's edge.
  static var tileEdge: Int { get }
  /// Taps of an axis of the kernel.
  static var kernelEdge: Int { get }
  static func filter(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void)
  static func input(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void)
  static func output(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void)
}

extension WinogradTransform {
  /// Pixels of a window's edge: frequencies of an axis.
  @inline(__always) static var windowEdge: Int { tileEdge + kernelEdge - 1 }
  @inline(__always) static var frequencies: Int { windowEdge * windowEdge }
}

@inline(__always)
private func times(_ factor: Float, _ x: Vector) -> Vector { Vector(repeating: factor) * x }

/// factor * x + y.
@inline(__always)
private func times(_ factor: Float, _ x: Vector, plus y: Vector) -> Vector {
  multiplyAdd(Vector(repeating: factor), x, y)
}

/// F(4x4,2x2): the interpolation points 0, 1, -1, 2 and infinity.
enum F4x4Of2x2: WinogradTransform {
  @inline(__always) static var tileEdge: Int { 4 }
  @inline(__always) static var kernelEdge: Int { 2 }

  @inline(__always)
  static func filter(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void) {
    let (a, b) = (read(0), read(1))
    write(0, times(0.5, a))
    write(1, times(-0.5, a + b))
    write(2, times(1.0 / 6, b - a))
    write(3, times(1.0 / 6, a + b + b))
    write(4, b)
  }

  @inline(__always)
  static func input(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void) {
    let (a, b, c, d, e) = (read(0), read(1), read(2), read(3), read(4))
    let difference = d - b
    write(0, times(2, a - c, plus: difference))
    write(1, times(-2, b, plus: d - c))
    write(2, times(2, b, plus: times(-3, c, plus: d)))
    write(3, difference)
    write(4, e - c - times(2, difference))
  }

  @inline(__always)
  static func output(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void) {
    let (a, b, c, d, e) = (read(0), read(1), read(2), read(3), read(4))
    let (p, q) = (b + c, b - c)
    write(0, a + p + d)
    write(1, times(2, d, plus: q))
    write(2, times(4, d, plus: p))
    write(3, times(8, d, plus: q) + e)
  }
}

/// F(4x4,3x3): the interpolation points 0, 1, -1, 2, -2 and infinity.
enum F4x4: WinogradTransform {
  @inline(__always) static var tileEdge: Int { 4 }
  @inline(__always) static var kernelEdge: Int { 3 }

  @inline(__always)
  static func filter(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void) {
    let (a, b, c) = (read(0), read(1), read(2))
    let (even, odd) = (times(-1.0 / 6, a + c), times(-1.0 / 6, b))
    let (low, high) = (times(1.0 / 24, a) + times(1.0 / 6, c), times(1.0 / 12, b))
    write(0, times(0.25, a))
    write(1, even + odd)
    write(2, even - odd)
    write(3, low + high)
    write(4, low - high)
    write(5, c)
  }

  @inline(__always)
  static func input(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void) {
    let (a, b, c, d, e, f) = (read(0), read(1), read(2), read(3), read(4), read(5))
    let (even, odd) = (times(-4, c, plus: e), times(-4, b, plus: d))
    let (difference, twice) = (e - c, times(2, d - b))
    write(0, times(4, a, plus: times(-5, c, plus: e)))
    write(1, even + odd)
    write(2, even - odd)
    write(3, difference + twice)
    write(4, difference - twice)
    write(5, times(4, b, plus: times(-5, d, plus: f)))
  }

  @inline(__always)
  static func output(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void) {
    let (a, b, c, d, e, f) = (read(0), read(1), read(2), read(3), read(4), read(5))
    let (p, q, r, t) = (b + c, b - c, d + e, d - e)
    write(0, a + p + r)
    write(1, times(2, t, plus: q))
    write(2, times(4, r, plus: p))
    write(3, times(8, t, plus: q) + f)
  }
}

/// F(6x6,3x3): the interpolation points 0, 1, -1, 2, -2, 1/2, -1/2 and infinity.
enum F6x6: WinogradTransform {
  @inline(__always) static var tileEdge: Int { 6 }
  @inline(__always) static var kernelEdge: Int { 3 }

  @inline(__always)
  static func filter(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void) {
    let (a, b, c) = (read(0), read(1), read(2))
    let (even, odd) = (times(-2.0 / 9, a + c), times(-2.0 / 9, b))
    let (low, high) = (times(1.0 / 90, a) + times(2.0 / 45, c), times(1.0 / 45, b))
    let (near, far) = (times(1.0 / 45, a) + times(1.0 / 180, c), times(1.0 / 90, b))
    write(0, a)
    write(1, even + odd)
    write(2, even - odd)
    write(3, low + high)
    write(4, low - high)
    write(5, near + far)
    write(6, near - far)
    write(7, c)
  }

  @inline(__always)
  static func input(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void) {
    let (a, b, c, d) = (read(0), read(1), read(2), read(3))
    let (e, f, g, h) = (read(4), read(5), read(6), read(7))
    let (even, odd) = (times(-4.25, e, plus: c + g), times(-4.25, d, plus: b + f))
    let low = times(0.25, c, plus: times(-1.25, e, plus: g))
    let high = times(0.5, b, plus: times(-2.5, d, plus: times(2, f)))
    let near = times(4, times(-1.25, e, plus: c), plus: g)
    let far = times(2, b, plus: times(-2.5, d, plus: times(0.5, f)))
    write(0, times(5.25, e - c, plus: a - g))
    write(1, even + odd)
    write(2, even - odd)
    write(3, low + high)
    write(4, low - high)
    write(5, near + far)
    write(6, near - far)
    write(7, times(5.25, d - f, plus: h - b))
  }

  @inline(__always)
  static func output(_ read: (Int) -> Vector, _ write: (Int, Vector) -> Void) {
    let (a, b, c, d) = (read(0), read(1), read(2), read(3))
    let (e, f, g, h) = (read(4), read(5), read(6), read(7))
    let (p, q, r, t, u, v) = (b + c, b - c, d + e, d - e, f + g, f - g)
    write(0, times(32, u, plus: a + p + r))
    write(1, times(16, v, plus: times(2, t, plus: q)))
    write(2, times(8, u, plus: times(4, r, plus: p)))
    write(3, times(4, v, plus: times(8, t, plus: q)))
    write(4, times(2, u, plus: times(16, r, plus: p)))
    write(5, times(32, t, plus: q + v + h))
  }
}
