import FileFormats

/// A message of a recording decoded by itself, without the file around it, whose checksums keep damage from the messages.
package enum ROSMessageTrial {
  /// Decodes a message of any type that recordings are read for.
  ///
  /// - Parameters:
  ///   - bytes: The position of the message's type, then the message.
  ///   - limits: Limits on pictures.
  /// - Throws: `CaptureError` for a message that is malformed.
  package static func decode(_ bytes: [UInt8], limits: CaptureLimits) throws(CaptureError) {
    let file = "message"
    guard let first = bytes.first else { throw .malformed(file: file, reason: CDRError.endsEarly.reason) }
    let type = MessageType.allCases[Int(first) % MessageType.allCases.count]
    let message = FileBytes(bytes).slice(1..<bytes.count)
    _ = ROSHeader.stamp(of: message)
    do throws(CDRError) {
      switch type {
      case .cameraInfo: _ = try ROSCameraInfo(message)
      case .transforms: _ = try ROSTransform.transforms(message)
      case .odometry: _ = try ROSTransform.odometry(message)
      case .pose: _ = try ROSTransform.pose(message)
      case .image, .compressedImage: _ = try BagPicture(message, type: type)
      }
    } catch {
      throw .malformed(file: file, reason: error.reason)
    }
    let isPicture = type == .image || type == .compressedImage
    guard isPicture, let picture = try? BagPicture(message, type: type) else { return }
    // What is no color may be depth.
    let color = try? picture.decoded(file: file, limits: limits)
    if color == nil { _ = try picture.depth(file: file, limits: limits) }
  }
}
