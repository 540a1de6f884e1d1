import AppCore
import Geometry
import Imaging
import TestSupport
import Testing

/// Reprojection errors above these, in meters, mean wrong axes, units or matrix order: with OpenCV axes the
/// bedroom's grows to 362 mm.
private enum Tolerance {
  static let bedroom = 0.012
  static let chair = 0.008
  static let board = 0.004
  static let redwood = 0.01
  static let sameFrame = 1e-12
}

@Suite(.enabled(if: SharedData.available, "real captures are not present beside the package"))
struct RealCaptureTests {
  private func open(_ name: String) throws -> any CaptureSource {
    try CaptureReader.open(SharedData.path("data/captures/\(name)"))
  }

  private func reprojection(_ source: any CaptureSource, _ from: String, _ to: String) throws -> Reprojection
  {
    func frame(_ name: String) throws -> CapturedFrame {
      let index = try #require(source.frames.firstIndex { $0.name == name })
      return try source.frame(at: index, decodingImage: false)
    }
    return try #require(Reprojection(from: try frame(from), to: try frame(to)))
  }

  @Test func bedroom() throws {
    let source = try open("bedroom")
    #expect(source.layout == .clipFolder)
    #expect(source.frames.map(\.name) == (0..<10).map { $0 < 2 ? "0000\($0 * 5)" : "000\($0 * 5)" })
    #expect(source.skipped.isEmpty)
    let frame = try source.frame(at: 0)
    #expect(frame.image?.size == PixelSize(width: 1920, height: 1440))
    #expect(frame.depth?.size == PixelSize(width: 256, height: 192))
    #expect(frame.confidence?.size == PixelSize(width: 256, height: 192))
    #expect(frame.orientation == .right)

    let summary = try CaptureSummary(of: source)
    #expect(summary.warnings.isEmpty)
    #expect(summary.frames.allSatisfy { $0.validShare > 0.99 && $0.orientationByGravity == .right })

    let error = try reprojection(source, "00030", "00045")
    #expect(error.medianError < Tolerance.bedroom)
    #expect(error.pairs > 5000)
  }

  @Test func chairScan() throws {
    let source = try open("chair_scan")
    #expect(source.layout == .scannerApp)
    #expect(source.frames.count == 9)
    #expect(source.skipped.map(\.name) == ["frame_00007"])
    #expect(source.skipped.first?.reason.contains("frame_00007.jpg") == true)
    let frame = try source.frame(at: 0)
    #expect(frame.orientation == .up)
    #expect(frame.image?.size == PixelSize(width: 1920, height: 1440))
    #expect(try CaptureSummary(of: source).warnings.isEmpty)
    #expect(try reprojection(source, "frame_00000", "frame_00009").medianError < Tolerance.chair)
  }

  @Test func calibrationBoard() throws {
    let source = try open("charuco_board")
    #expect(source.frames.count == 6)
    #expect(try source.frame(at: 0, decodingImage: false).orientation == .up)
    #expect(try reprojection(source, "frame_00000", "frame_00015").medianError < Tolerance.board)
  }

  @Test func redwood() throws {
    let source = try open("redwood_rgbd")
    #expect(source.layout == .redwood)
    #expect(source.frames.map(\.name) == (0..<5).map { "0000\($0)" })
    let frame = try source.frame(at: 0)
    #expect(frame.image?.size == PixelSize(width: 640, height: 480))
    #expect(frame.depth?.size == PixelSize(width: 640, height: 480))
    #expect(frame.intrinsics?.cx == 319.5)
    #expect(try CaptureSummary(of: source).warnings.isEmpty)
    let error = try reprojection(source, "00000", "00004")
    #expect(error.medianError < Tolerance.redwood)
    #expect(error.pairs > 100_000)
  }

  @Test func convertedFrameReprojectsAlike() throws {
    let source = try CaptureReader.open(SharedData.path("data/captures/bedroom/00030.json"))
    let folder = try TemporaryDirectory()
    try NativeCaptureWriter.convert(source, to: folder.file("native"))
    let converted = try CaptureReader.open(folder.file("native")).frame(at: 0)
    let original = try source.frame(at: 0)
    #expect(converted.image == original.image)
    #expect(converted.depth == original.depth)
    #expect(Reprojection(from: original, to: converted)?.medianError ?? 1 < Tolerance.sameFrame)
  }
}
