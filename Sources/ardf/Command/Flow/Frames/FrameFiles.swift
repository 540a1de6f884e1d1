/// The files to write besides the usual ones.
struct FrameFiles: Sendable {
  var usda = false
  var usdz = false
  var pfm = false
  /// Units of `metric.png` to a meter.
  var depthScale = 1000.0
  /// How pictures for people are written.
  var pictures = PictureFormat.jpeg
}
