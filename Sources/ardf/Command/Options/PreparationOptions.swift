import ArgumentParser
import FileFormats
import Geometry
import Imaging
import ONNX

/// How a picture becomes the input of a network.
struct PreparationOptions: ParsableArguments {
  @Option(help: "Pictures: factor by which samples from 0 to 255 are multiplied first; by default 1/255.")
  var scale: Double?

  @Option(
    help: ArgumentHelp(
      "Pictures: number to subtract after --scale, or one for each channel, 0.485,0.456,0.406.",
      valueName: "numbers"))
  var mean: String?

  @Option(
    help: ArgumentHelp(
      "Pictures: number to divide by after --mean, or one for each channel.", valueName: "numbers"))
  var std: String?

  @Flag(exclusivity: .chooseLast, help: "Pictures: order of the channels.")
  var order = ChannelOrder.rgb

  @Option(
    help: ArgumentHelp(
      "Pictures: height and width to resize to, bilinear, without keeping the aspect ratio.", valueName: "hxw"
    ))
  var resize: String?

  enum ChannelOrder: String, EnumerableFlag { case rgb, bgr }

  func validate() throws {
    _ = try NetworkOptions.parse(size: resize, option: "--resize")
    for (name, text) in [("--mean", mean), ("--std", std)] where text != nil && Self.numbers(text!) == nil {
      throw ValidationError("\(name) \(text!): give one number, or one for each channel with commas between")
    }
    if let std, Self.numbers(std)?.contains(0) == true {
      throw ValidationError("--std \(std): nothing is divided by 0")
    }
    if let scale, !scale.isFinite { throw ValidationError("--scale \(scale): give a number") }
  }

  private static func numbers(_ text: String) -> [Double]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let found = parts.compactMap { Double($0) }.filter(\.isFinite)
    return found.count == parts.count && (found.count == 1 || found.count == 3) ? found : nil
  }

  /// Whether any of these options was given.
  var isGiven: Bool { scale != nil || mean != nil || std != nil || resize != nil || order != .rgb }

  /// A picture as an input of this type: channels first or last as its shape has them, one or three of them.
  ///
  /// - `sizes`: of free axes by their names.
  func tensor(
    of picture: String, for input: ONNX.Program.Input, _ sizes: NameTable<Int>
  ) throws -> Tensor {
    func unfit(_ text: String) -> CommandError { .input("\(picture): the input \"\(input.name)\" \(text)") }
    guard case .tensor(let number, let declared?)? = input.type, let type = ElementType(rawValue: number)
    else { throw unfit("states no shape; give it as a .npy file") }
    let axes = declared.map { axis -> Int? in
      switch axis {
      case .size(let size): size
      case .named(let name): sizes[name]
      case .free: nil
      }
    }
    guard axes.count == 4 || axes.count == 3, axes.count == 3 || axes[0] ?? 1 == 1 else {
      throw unfit("of shape \(AxisMessage.text(declared)) is not that of one picture; give it as a .npy file")
    }
    let three = Array(axes.suffix(3))
    let isLast = three[0] != 3 && three[0] != 1 && (three[2] == 3 || three[2] == 1)
    guard let channels = isLast ? three[2] : three[0] ?? 3, channels == 3 || channels == 1 else {
      throw unfit("of shape \(AxisMessage.text(declared)) has neither 3 nor 1 channels")
    }
    let image = try ImageCodec.decode(path: picture).upright()
    let wanted = try NetworkOptions.parse(size: resize)
    let (height, width) = isLast ? (three[0], three[1]) : (three[1], three[2])
    let size = PixelSize(
      width: wanted?.width ?? image.width, height: wanted?.height ?? image.height)
    for (found, stated) in [(size.height, height), (size.width, width)] where stated != nil && stated != found
    {
      throw unfit(
        "takes \(height.map { "\($0)" } ?? "any")x\(width.map { "\($0)" } ?? "any") pixels (height x width), not "
          + "\(size.height)x\(size.width); give --resize \(height ?? size.height)x\(width ?? size.width)")
    }
    guard size.width > 0, size.height > 0, size.width * size.height <= 1 << 28 else {
      throw unfit("cannot have \(size.height)x\(size.width) pixels")
    }
    let pixels = image.resizedBilinear8(width: size.width, height: size.height).pixels
    let values = samples(pixels, count: size.width * size.height, channels: channels, isLast: isLast)
    let shape =
      (axes.count == 4 ? [1] : [])
      + (isLast ? [size.height, size.width, channels] : [channels, size.height, size.width])
    // Bytes are a picture as it is, unless something is to be done to it.
    let isPlain = !type.isFloating && scale == nil && mean == nil && std == nil
    return Tensor(type, shape, doubles: isPlain ? values : prepared(values, channels, isLast: isLast))
  }

  /// Samples from 0 to 255 in the order of the input; gray is ITU-R 601's luma.
  private func samples(_ pixels: [UInt8], count: Int, channels: Int, isLast: Bool) -> [Double] {
    var values = [Double](repeating: 0, count: count * channels)
    for pixel in 0..<count {
      let rgb = (0..<3).map { Double(pixels[3 * pixel + $0]) }
      if channels == 1 {
        values[pixel] = (0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]).rounded()
      } else {
        for channel in 0..<3 {
          values[isLast ? 3 * pixel + channel : channel * count + pixel] =
            rgb[order == .rgb ? channel : 2 - channel]
        }
      }
    }
    return values
  }

  /// `mean` and `std` are in the order of the input's channels.
  private func prepared(_ values: [Double], _ channels: Int, isLast: Bool) -> [Double] {
    let means = mean.flatMap(Self.numbers) ?? [0]
    let deviations = std.flatMap(Self.numbers) ?? [1]
    let factor = scale ?? 1 / 255
    let area = values.count / channels
    return values.enumerated().map { position, value in
      let channel = isLast ? position % channels : position / area
      return (value * factor - means[channel % means.count]) / deviations[channel % deviations.count]
    }
  }
}
