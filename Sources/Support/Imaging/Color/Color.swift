/// An sRGB color with straight alpha, 8 bits a component.
public struct Color: Sendable, Hashable {
  /// Red, sRGB encoded.
  public var red: UInt8
  /// Green, sRGB encoded.
  public var green: UInt8
  /// Blue, sRGB encoded.
  public var blue: UInt8
  /// 0 transparent, 255 opaque.
  public var alpha: UInt8

  /// A color from bytes, opaque by default.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// A color from components in 0...1, as UIKit writes them; values outside are clamped.
  public init(unitRed red: Double, green: Double, blue: Double, alpha: Double = 1) {
    self.init(
      red: Self.byte(red), green: Self.byte(green), blue: Self.byte(blue), alpha: Self.byte(alpha))
  }

  /// The same color with another opacity in 0...1.
  public func withAlpha(_ alpha: Double) -> Color {
    Color(red: red, green: green, blue: blue, alpha: Self.byte(alpha))
  }

  private static func byte(_ unit: Double) -> UInt8 {
    guard unit > 0 else { return 0 }
    return UInt8((min(unit, 1) * 255).rounded())
  }

  /// Opaque black.
  public static let black = Color(red: 0, green: 0, blue: 0)
  /// Opaque white.
  public static let white = Color(red: 255, green: 255, blue: 255)
  /// Transparent black.
  public static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)
  /// Opaque red.
  public static let red = Color(red: 255, green: 0, blue: 0)
  /// Opaque green.
  public static let green = Color(red: 0, green: 255, blue: 0)
  /// Opaque cyan.
  public static let cyan = Color(red: 0, green: 255, blue: 255)
}
