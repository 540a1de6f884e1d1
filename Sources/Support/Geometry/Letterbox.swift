/// How an upright picture is fitted into a network's input: scaled uniformly up to rounding, centered, padded.
///
/// The rules are those of Ultralytics 8.4: gain r = min over the axes, content = round-half-even(side * r),
/// free space d halved, left/top = round(d - 0.1), right/bottom = round(d + 0.1). Points go back through the
/// true content / picture ratio of each axis.
public struct Letterbox: Hashable, Sendable {
  /// The upright picture.
  public let imageSize: PixelSize
  /// The network's input, padding included.
  public let networkSize: PixelSize
  /// The scaled picture within the input.
  public let contentSize: PixelSize
  /// Columns of padding before the content.
  public let padLeft: Int
  /// Rows of padding above the content.
  public let padTop: Int

  /// Columns of padding after the content.
  public var padRight: Int { networkSize.width - contentSize.width - padLeft }
  /// Rows of padding below the content.
  public var padBottom: Int { networkSize.height - contentSize.height - padTop }

  /// Fits a picture into an input of fixed size, by default 640x640.
  public init(imageSize: PixelSize, networkSize: PixelSize = PixelSize(width: 640, height: 640)) {
    let content = Self.content(of: imageSize, in: networkSize)
    self.init(imageSize: imageSize, networkSize: networkSize, contentSize: content)
  }

  /// The smallest input with sides divisible by `stride` that holds the picture scaled into
  /// `limit` x `limit`; 1920x1440 becomes 640x480.
  public static func minimal(imageSize: PixelSize, limit: Int = 640, stride: Int = 32) -> Letterbox {
    precondition(stride > 0 && limit >= stride && limit % stride == 0, "limit must be a multiple of stride")
    let content = Self.content(of: imageSize, in: PixelSize(width: limit, height: limit))
    let network = PixelSize(
      width: content.width + (limit - content.width) % stride,
      height: content.height + (limit - content.height) % stride)
    return Letterbox(imageSize: imageSize, networkSize: network, contentSize: content)
  }

  /// A picture scaled to a size of the caller's, centered in an input that holds it.
  package init(imageSize: PixelSize, networkSize: PixelSize, contentSize: PixelSize) {
    precondition(
      contentSize.width <= networkSize.width && contentSize.height <= networkSize.height,
      "the input holds the scaled picture")
    self.imageSize = imageSize
    self.networkSize = networkSize
    self.contentSize = contentSize
    padLeft = Self.leadingPad(networkSize.width - contentSize.width)
    padTop = Self.leadingPad(networkSize.height - contentSize.height)
  }

  private static func content(of image: PixelSize, in network: PixelSize) -> PixelSize {
    let width = Double(image.width)
    let height = Double(image.height)
    let gain = min(Double(network.height) / height, Double(network.width) / width)
    return PixelSize(
      width: max(1, Int((width * gain).rounded(.toNearestOrEven))),
      height: max(1, Int((height * gain).rounded(.toNearestOrEven))))
  }

  private static func leadingPad(_ free: Int) -> Int {
    Int((Double(free) / 2 - 0.1).rounded(.toNearestOrEven))
  }

  /// The scaled picture's rectangle within the input.
  public var contentRect: Rect<NetworkPixels> {
    Rect(
      x: Double(padLeft), y: Double(padTop), width: Double(contentSize.width),
      height: Double(contentSize.height))
  }

  /// Input pixels per picture pixel, per axis.
  public var scale: (x: Double, y: Double) {
    (
      Double(contentSize.width) / Double(imageSize.width),
      Double(contentSize.height) / Double(imageSize.height)
    )
  }

  /// Where a point of the picture lands in the input.
  public func toNetwork(_ point: Point2<UprightPixels>) -> Point2<NetworkPixels> {
    let scale = self.scale
    return Point2(point.x * scale.x + Double(padLeft), point.y * scale.y + Double(padTop))
  }

  /// Where a rectangle of the picture lands in the input.
  public func toNetwork(_ rect: Rect<UprightPixels>) -> Rect<NetworkPixels> {
    Rect(toNetwork(Point2(rect.minX, rect.minY)), toNetwork(Point2(rect.maxX, rect.maxY)))
  }

  /// The point of the picture that lands on `point`; outside the picture for points in the padding.
  public func fromNetwork(_ point: Point2<NetworkPixels>) -> Point2<UprightPixels> {
    let scale = self.scale
    return Point2((point.x - Double(padLeft)) / scale.x, (point.y - Double(padTop)) / scale.y)
  }

  /// The part of the picture that lands on `rect`, clipped to the picture.
  public func fromNetwork(_ rect: Rect<NetworkPixels>) -> Rect<UprightPixels> {
    let least = fromNetwork(Point2(rect.minX, rect.minY))
    let greatest = fromNetwork(Point2(rect.maxX, rect.maxY))
    return Rect(minX: least.x, minY: least.y, maxX: greatest.x, maxY: greatest.y)
      .clipped(to: imageSize.bounds())
  }
}
