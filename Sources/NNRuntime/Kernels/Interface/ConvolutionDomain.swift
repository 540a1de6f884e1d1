/// The dense convolutions that a kernel computes.
public struct ConvolutionDomain: Sendable {
  /// The windows of a convolution.
  public enum Window: Hashable, Sendable {
    /// A pixel.
    case pixel
    /// A square of this many pixels at an edge.
    case square(Int)
    /// Anything but a pixel.
    case area
  }

  /// Which output pixels it makes.
  public var kind: ConvolutionShape.Kind
  /// The pooling window.
  public var window: Window
  /// The only stride and padding; nil for all.
  public var stride, padding: Int?
  /// Divisor of both numbers of channels.
  public var channels: Int
  /// Most products of a sum; nil for any number.
  public var products: Int?

  private init(
    kind: ConvolutionShape.Kind = .whole, _ window: Window, stride: Int? = nil, padding: Int? = nil,
    channels: Int = 1
  ) {
    self.kind = kind
    self.window = window
    self.stride = stride
    self.padding = padding
    self.channels = channels
  }

  /// 1x1.
  public static let pixels = ConvolutionDomain(.pixel)
  /// 1x1 on all pixels of a map.
  public static let everyPixel = ConvolutionDomain(.pixel, stride: 1, padding: 0)
  /// 1x1 on all pixels of a map, both kinds of channels in halves of whole vectors.
  public static let halvedChannels = ConvolutionDomain(.pixel, stride: 1, padding: 0, channels: 32)
  /// All but 1x1.
  public static let areas = ConvolutionDomain(.area)
  /// 3x3 with a padding of 1, channels in whole vectors.
  public static func squares(stride: Int) -> ConvolutionDomain {
    ConvolutionDomain(.square(3), stride: stride, padding: 1, channels: 16)
  }
  /// One of four convolutions of 2x2, channels in whole vectors.
  public static let subpixels = ConvolutionDomain(
    kind: .subpixel, .square(2), stride: 1, padding: 1, channels: 16)

  /// The same, limited to sums of at most `products` products.
  public func summing(atMost products: Int) -> ConvolutionDomain {
    var domain = self
    domain.products = products
    return domain
  }

  /// Whether a convolution is among them.
  public func contains(_ shape: ConvolutionShape) -> Bool { refusal(of: shape) == nil }

  /// Why a convolution is not among them, and how many questions it passed before; nil where it is.
  public func refusal(of shape: ConvolutionShape) -> (passed: Int, reason: String)? {
    guard shape.kind == kind else { return (0, "another kind of convolution") }
    let isPixel = shape.kernelHeight == 1 && shape.kernelWidth == 1
    switch window {
    case .pixel where !isPixel: return (1, "kernel is not 1x1")
    case .area where isPixel: return (1, "kernel is 1x1")
    case .square(let edge) where shape.kernelHeight != edge || shape.kernelWidth != edge:
      return (1, "kernel is not \(edge)x\(edge)")
    case .pixel, .area, .square: break
    }
    guard shape.stride == stride ?? shape.stride, shape.padding == padding ?? shape.padding else {
      return (2, "stride \(shape.stride)")
    }
    guard shape.inChannels % channels == 0, shape.outChannels % channels == 0 else {
      return (3, "channels are not multiples of \(channels)")
    }
    if let products, shape.kernelHeight * shape.kernelWidth * shape.inChannels > products {
      return (4, "sums of more than \(products) products")
    }
    return nil
  }
}
