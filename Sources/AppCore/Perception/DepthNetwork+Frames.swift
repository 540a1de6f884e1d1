import AppCore
import Geometry
import Imaging
import Models

/// Estimated depth of a frame.
public struct FrameEstimate: Sendable {
  /// Depth of the picture as it is stored.
  public let depth: EstimatedDepth
  /// Size of the network's input.
  public let input: PixelSize
  /// How long it took.
  public let timings: StageTimings
}

/// Meters below which inverse depth grows no more.
private let nearest: Float = 1e-3

extension DepthNetwork {
  /// The depth of a frame, as its picture is stored, or why it can have none.
  ///
  /// - Throws: `PerceptionError.noPicture`, `.network`.
  public func estimate(of frame: CapturedFrame) throws(PerceptionError) -> Result<FrameEstimate, NoEstimate> {
    try estimate(PerceptionError.upright(frame), orientation: frame.orientation, sensor: frame.depth)
  }

  /// The depth of an upright picture, turned to the picture as it is stored, or why it can have none.
  ///
  /// - `sensor`: The frame's own depth, as stored: what a prompted network reads.
  package func estimate(
    _ upright: RGBImage, orientation: Orientation, sensor: Plane<Float>?
  ) throws(PerceptionError) -> Result<FrameEstimate, NoEstimate> {
    do {
      let found = try estimate(upright, sensor: sensor?.oriented(orientation))
      let stored = orientation == .up ? found.depth : found.depth.oriented(orientation.inverse)
      let isMetric = output.isMetric
      return .success(
        FrameEstimate(
          depth: EstimatedDepth(
            relative: RelativeDepth(isMetric ? stored.map { 1 / max($0, nearest) } : stored),
            metric: isMetric ? MetricDepth(fitted: stored) : nil, isPrompted: output == .prompted),
          input: found.networkSize, timings: found.timings))
    } catch DepthError.tooElongated(let size, let bound, let largest) {
      return .failure(.tooElongated(size, shorterSide: bound, largest: largest))
    } catch DepthError.noPrompt {
      return .failure(.noPrompt)
    } catch {
      throw .network(file: weights.file, error)
    }
  }
}

/// A depth network as the live loop asks it: picture by picture.
struct PictureDepth: DepthEstimator {
  let network: any DepthNetwork

  var needsNoSensor: Bool { network.output.isMetric && network.output != .prompted }

  func depth(of picture: RGBImage, sensor: Plane<Float>?) throws -> EstimatedDepth {
    try network.estimate(picture, orientation: .up, sensor: sensor).get().depth
  }
}
