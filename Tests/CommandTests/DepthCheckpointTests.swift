import AppCore
import FileFormats
import Imaging
import TestSupport
import Testing

/// The depth checkpoint in `weights/` on captures that it was never trained on.
@Suite(.enabled(if: SharedData.available, "real data is not present beside the package"))
struct DepthCheckpointTests {
  /// A living room: `training/evaluate.py` has .069; a checkpoint whose encoder had gone farther from DINOv2 had
  /// .092.
  @Test func anUnseenRoom() throws {
    let place = try TemporaryDirectory()
    let folder = SharedData.path("data/captures/redwood_rgbd")
    let weights = "\(SharedData.packageRoot)/weights/dav2s-ardf-fp16.safetensors"
    let run = try CommandRun([
      "depth", "\(folder)/color/00003.jpg", "--depth", weights, "--out", place.file("out"),
    ])
    #expect(run.status == 0, "\(run.error)")
    let relative = try NPYArray.read(path: place.file("out/relative.npy")).floats()
    let depth = try #require(try CaptureReader.open(folder).frame(at: 3).depth)
    let error = relativeError(of: relative, depth.elements)
    print("Redwood 3: AbsRel \(error)")
    #expect(error < 0.08)
  }

  /// The mean relative error of depth up to 10 m after the least-squares scale and shift of inverse depth.
  private func relativeError(of relative: [Float], _ depth: [Float]) -> Double {
    #expect(relative.count == depth.count)
    let pairs = zip(relative, depth).filter { $1 > 0.1 && $1 < 10 }.map { (Double($0), 1 / Double($1)) }
    let count = Double(pairs.count)
    let mean = pairs.reduce((0.0, 0.0)) { ($0.0 + $1.0 / count, $0.1 + $1.1 / count) }
    let covariance = pairs.reduce(0) { $0 + ($1.0 - mean.0) * ($1.1 - mean.1) }
    let variance = pairs.reduce(0) { $0 + ($1.0 - mean.0) * ($1.0 - mean.0) }
    let errors = pairs.map { found, inverse in
      let fitted = max(mean.1 + covariance / variance * (found - mean.0), 0.1)
      return abs(inverse / fitted - 1)
    }
    return errors.reduce(0, +) / count
  }
}
