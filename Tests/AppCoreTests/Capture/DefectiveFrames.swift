import AppCore

extension CaptureSource {
  /// Names of the frames of which no damage is known.
  var soundNames: [String] { frames.indices.filter { defects[$0] == nil }.map { frames[$0].name } }

  /// The damaged frames, in order, and why.
  var damaged: [SkippedFrame] {
    defects.sorted { $0.key < $1.key }.map {
      SkippedFrame(name: frames[$0.key].name, reason: $0.value.description)
    }
  }
}
