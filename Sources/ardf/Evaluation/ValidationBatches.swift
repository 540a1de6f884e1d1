import FileFormats

/// How `yolo val` fits pictures into inputs.
///
/// The rules of Ultralytics 8.4.190: a picture is scaled so that its longer side is the input's, its sides rounded up.
/// Without `rect` the input is a square. With it pictures are sorted by height over width and cut into batches, whose input
/// is the least rectangle of whole strides that holds them all and half a stride more.
package enum ValidationBatches {
  private static let stride = 32
  /// Pictures of a batch, Ultralytics' default.
  package static let size = 16

  /// An input for each picture, in the order of the pictures.
  ///
  /// - `pictures`: width and height of each.
  /// - `side`: of the square, a multiple of 32.
  package static func frames(
    _ pictures: [(width: Int, height: Int)], side: Int, rect: Bool, batch: Int = size
  ) -> [ValidationFrame] {
    guard rect else { return pictures.map { frame($0, width: side, height: side, side: side) } }
    let ratios = pictures.map { Double($0.height) / Double($0.width) }
    let order = pictures.indices.sorted { (ratios[$0], $0) < (ratios[$1], $1) }
    var frames: [Int: ValidationFrame] = [:]
    for start in Swift.stride(from: 0, to: order.count, by: batch) {
      let members = order[start..<min(start + batch, order.count)]
      let least = members.map { ratios[$0] }.min() ?? 1
      let greatest = members.map { ratios[$0] }.max() ?? 1
      let (height, width): (Double, Double) =
        greatest < 1 ? (greatest, 1) : least > 1 ? (1, 1 / least) : (1, 1)
      let input = (width: whole(width, side), height: whole(height, side))
      for member in members {
        frames[member] = frame(pictures[member], width: input.width, height: input.height, side: side)
      }
    }
    return pictures.indices.compactMap { frames[$0] }
  }

  /// A side in pixels: whole strides, and half a stride more at the least.
  private static func whole(_ share: Double, _ side: Int) -> Int {
    Int(clamping: (share * Double(side) / Double(stride) + 0.5).rounded(.up)) * stride
  }

  private static func frame(
    _ picture: (width: Int, height: Int), width: Int, height: Int, side: Int
  ) -> ValidationFrame {
    let scale = Double(side) / Double(max(picture.width, picture.height))
    func scaled(_ length: Int) -> Int {
      max(1, min(Int(clamping: (Double(length) * scale).rounded(.up)), side))
    }
    let content = (width: scaled(picture.width), height: scaled(picture.height))
    func lead(_ free: Int) -> Int { Int(clamping: (Double(free) / 2 - 0.1).rounded(.toNearestOrEven)) }
    return ValidationFrame(
      contentWidth: content.width, contentHeight: content.height, networkWidth: width, networkHeight: height,
      padLeft: lead(width - content.width), padTop: lead(height - content.height))
  }
}
