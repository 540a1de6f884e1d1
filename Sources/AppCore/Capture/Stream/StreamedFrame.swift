import FileFormats
import Geometry
import Imaging

/// A picture of a stream as the only frame of a source: without depth, level at the origin.
package struct StreamedFrame: CaptureSource {
  /// The stream's name.
  package let path: String
  /// The one frame, whose name is its position in the stream with six digits.
  package let frames: [FrameReference]
  /// None.
  package var skipped: [SkippedFrame] { [] }
  /// Pictures.
  package var layout: CaptureLayout { .images }

  /// nil for a picture that cannot be read.
  private let captured: CapturedFrame?

  /// - `time`: seconds on the stream's clock.
  /// - `camera`: where its camera comes from.
  /// - Throws: `CaptureError` where the camera cannot be that of the picture.
  package init(
    _ image: RGBImage, _ orientation: Orientation, focalLengthIn35mmFilm: Int?, number: Int, time: Double,
    of stream: String, camera: PhotographCamera
  ) throws(CaptureError) {
    path = stream
    let name = Self.name(number)
    frames = [FrameReference(name: name, timestamp: time)]
    let intrinsics = try camera.intrinsics(
      of: image.size, focalLengthIn35mmFilm: focalLengthIn35mmFilm, file: "\(stream), picture \(number)")
    var frame = CapturedFrame(
      name: name, image: image, imageSize: image.size, intrinsics: intrinsics,
      cameraToWorld: intrinsics == nil
        ? .identity : RigidTransform(rotation: orientation.levelCamera, origin: .origin),
      orientation: orientation, timestamp: time)
    frame.isPosed = false
    captured = frame
  }

  /// A picture that cannot be read.
  package init(damaged name: String, of stream: String, at time: Double) {
    path = stream
    frames = [FrameReference(name: name, timestamp: time)]
    captured = nil
  }

  /// The name of the picture at a position: its number in six digits or more.
  package static func name(_ number: Int) -> String {
    zeroPadded(number, 6)
  }

  /// The frame.
  ///
  /// - Throws: `CaptureError.noSuchFrame`.
  package func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let name = try reference(at: index).name
    guard let captured else { throw .noUsableFrame(path: path, firstReason: "\(name) cannot be read") }
    return captured
  }

  /// None: the picture is not kept as it came.
  package func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? { nil }
}
