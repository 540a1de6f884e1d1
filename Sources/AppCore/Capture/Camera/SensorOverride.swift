/// A capture of whose sensor the user knows more than its files say.
package struct SensorOverride: CaptureSource {
  private let source: any CaptureSource
  private let kind: SensorModel.Kind?
  private let maximumRange: Double?

  /// A source with another sensor or range; what is nil stays as the source has it.
  package init(_ source: any CaptureSource, kind: SensorModel.Kind?, maximumRange: Double?) {
    self.source = source
    self.kind = kind
    self.maximumRange = maximumRange
  }

  /// As the source's.
  package var layout: CaptureLayout { source.layout }
  /// As the source's.
  package var path: String { source.path }
  /// As the source's.
  package var frames: [FrameReference] { source.frames }
  /// As the source's.
  package var defects: [Int: CaptureError] { source.defects }
  /// As the source's.
  package var skipped: [SkippedFrame] { source.skipped }
  /// As the source's.
  package var hasPoses: Bool { source.hasPoses }
  /// As the source's.
  package var notes: [String] { source.notes }

  /// The source's frame, of the sensor that was stated.
  ///
  /// - Throws: `CaptureError`.
  package func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    var frame = try source.frame(at: index, decodingImage: decodingImage)
    frame.sensor.kind = kind ?? frame.sensor.kind
    frame.sensor.maximumRange = maximumRange ?? frame.sensor.maximumRange
    return frame
  }

  /// As the source's.
  ///
  /// - Throws: `CaptureError`.
  package func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    try source.encodedPicture(at: index)
  }

  /// As the source's.
  ///
  /// - Throws: `CaptureError`.
  package func reading<Result>(
    _ step: (String) throws(CaptureError) -> Result
  ) throws(CaptureError) -> Result { try source.reading(step) }
}
