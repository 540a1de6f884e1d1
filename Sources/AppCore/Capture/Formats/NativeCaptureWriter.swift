import FileFormats
import Geometry
import Imaging
import OutputFolders

/// Writes captures in the native layout, whole or not at all.
public enum NativeCaptureWriter {
  /// Writes one frame as a folder with frame.json.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - picture: The stored picture's own bytes, kept as they are; nil encodes `frame.image` as PNG.
  ///   - path: The folder.
  ///   - force: Replaces an existing folder.
  /// - Throws: `CaptureError.unwritable` if the frame has no camera or a mirrored orientation, `FileError`.
  public static func write(
    _ frame: CapturedFrame, picture: EncodedPicture? = nil, to path: String, force: Bool = false
  ) throws {
    let folder = try AtomicDirectory(path: path, force: force)
    try write(frame, picture: picture, metadata: NativeCapture.frameFile, prefix: "", into: folder)
    try folder.commit()
  }

  /// Writes every usable frame of a capture as a sequence `NNNNNN.json` beside its files, pictures unchanged.
  ///
  /// A frame of several that cannot be read is left out.
  ///
  /// - Parameters:
  ///   - source: The capture.
  ///   - path: The folder.
  ///   - force: Replaces an existing folder.
  ///   - progress: Called after each frame with how many are written.
  /// - Returns: The frames that were left out, and why.
  /// - Throws: `CaptureError`, `FileError`.
  @discardableResult
  public static func convert(
    _ source: any CaptureSource, to path: String, force: Bool = false, progress: (Int) -> Void = { _ in }
  ) throws -> [SkippedFrame] {
    var leftOut: [SkippedFrame] = []
    var failure: CaptureError?
    let folder = try AtomicDirectory(path: path, force: force)
    for index in source.frames.indices {
      defer { progress(index + 1) }
      let frame: CapturedFrame
      let picture: EncodedPicture?
      do throws(CaptureError) {
        _ = try source.frame(at: index)
        frame = try source.frame(at: index, decodingImage: false)
        picture = try source.encodedPicture(at: index)
      } catch {
        failure = failure ?? error
        leftOut.append(SkippedFrame(name: source.frames[index].name, reason: "\(error)"))
        continue
      }
      let stem = numbered(index)
      try write(frame, picture: picture, metadata: "\(stem).json", prefix: "\(stem)_", into: folder)
    }
    if let failure, leftOut.count == source.frames.count { throw failure }
    try folder.commit()
    return leftOut
  }

  private static func write(
    _ frame: CapturedFrame, picture: EncodedPicture?, metadata: String, prefix: String,
    into folder: AtomicDirectory
  ) throws {
    guard let intrinsics = frame.intrinsics else {
      throw CaptureError.unwritable(reason: "it has no camera; give one")
    }
    guard let posture = frame.orientation.posture else {
      throw CaptureError.unwritable(reason: "its orientation is mirrored; save it unmirrored")
    }
    var fields: [String: JSONValue] = [
      "schema": .string(NativeCapture.schema),
      "imageSize": [.integer(frame.imageSize.width), .integer(frame.imageSize.height)],
      "intrinsics": .array(intrinsics.columnMajor.map(JSONValue.number)),
      "cameraToWorld": .array(frame.cameraToWorld.columnMajor.map(JSONValue.number)),
      "orientation": .string(posture),
      "timestamp": .number(frame.timestamp),
    ]
    if let picture = try picture ?? frame.image.flatMap({ EncodedPicture(try ImageCodec.encodePNG($0)) }) {
      let name = prefix + "image" + picture.format.fileEnding
      try folder.write(picture.bytes, to: name)
      fields["image"] = .string(name)
    }
    if let depth = frame.depth {
      let array = NPYArray(shape: [depth.height, depth.width], floats: depth.elements)
      try folder.write(array.encoded(), to: prefix + "depth.npy")
      fields["depth"] = .string(prefix + "depth.npy")
      fields["sensor"] = .string(frame.sensor.kind.rawValue)
      fields["sensorRange"] = frame.sensor.maximumRange.map(JSONValue.number)
    }
    if let confidence = frame.confidence {
      let array = NPYArray(shape: [confidence.height, confidence.width], .uint8(confidence.elements))
      try folder.write(array.encoded(), to: prefix + "confidence.npy")
      fields["confidence"] = .string(prefix + "confidence.npy")
    }
    try folder.write(JSONValue.object(fields).serialized(pretty: true), to: metadata)
  }

  /// Six digits.
  private static func numbered(_ index: Int) -> String {
    zeroPadded(index, 6)
  }
}
