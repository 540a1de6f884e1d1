/// Whether objects are followed as the camera moves.
enum MotionCompensation: String, CaseIterable {
  case sparseFlow = "sparse-flow"
  case off

  /// Ultralytics' words are taken too.
  init?(argument: String) {
    switch argument {
    case "sparseOptFlow": self = .sparseFlow
    case "none": self = .off
    default: self.init(rawValue: argument)
    }
  }
}
