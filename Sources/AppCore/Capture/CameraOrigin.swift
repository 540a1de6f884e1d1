/// Where the camera of a frame is known from.
package enum CameraOrigin: String, Sendable, CaseIterable {
  /// From the capture, which holds it.
  case capture
  /// From the focal length for 35 mm film in the picture's EXIF data.
  case exif
  /// From the user, who states it.
  case stated
  /// From the field of view that the user states.
  case fieldOfView = "field-of-view"

  /// The origin in words, for a line about a camera.
  var words: String {
    switch self {
    case .capture: "as the capture has it"
    case .exif: "from EXIF's focal length"
    case .stated: "as stated"
    case .fieldOfView: "from the field of view stated"
    }
  }
}

extension PhotographCamera {
  /// The origin of a camera that this gives a picture.
  var origin: CameraOrigin {
    switch self {
    case .exif: .exif
    case .stated: .stated
    case .fieldOfView: .fieldOfView
    }
  }
}
