import AppCore
import Geometry
import Imaging
import Testing

/// The loop's budget is one of what the loop holds, counted: the same frames give the same decisions everywhere.
@Suite struct HeldMemoryTests {
  private struct Shots: FrameSource {
    let clock: ReplayClock

    func frames() -> AsyncThrowingStream<CapturedFrame, any Error> {
      AsyncThrowingStream {
        clock.move(to: clock.now + .seconds(1))
        guard clock.now <= .seconds(4) else { return nil }
        // 300 bytes of picture, 4 of depth.
        return CapturedFrame(
          name: "\(clock.now.inSeconds)", image: RGBImage(width: 10, height: 10),
          imageSize: PixelSize(width: 10, height: 10), depth: Plane(width: 1, height: 1, fill: 2))
      }
    }
  }

  private struct Screen: RenderSink {
    func present(_ frame: CapturedFrame, state: LiveSnapshot) async throws {}
  }

  private struct OneObject: Detector {
    func detect(in picture: RGBImage) async throws -> [UprightDetection] { [uprightDetection()] }
  }

  private struct Broken: Detector {
    func detect(in picture: RGBImage) async throws -> [UprightDetection] { throw Fault() }
  }

  private static func report(
    budget: Int, detector: any Detector = OneObject(), memory: (any MemoryHolder)? = nil
  ) async throws -> LiveReport {
    let clock = ReplayClock()
    var configuration = LiveConfiguration()
    configuration.scheduling = .lockstep
    configuration.schedule = .every(.zero)
    configuration.memoryBudget = budget
    return try await LiveSession(
      source: Shots(clock: clock), sink: Screen(), detector: detector,
      surroundings: LiveSurroundings(time: clock, memory: memory), configuration: configuration
    ).run()
  }

  /// The test's own process holds thousands of times as much.
  @Test func theProcessDoesNotCount() async throws {
    let report = try await Self.report(budget: 10_000)
    #expect(report.snapshot.detections == 4)
    #expect(report.snapshot.detectionsRefused == 0)
    #expect(report.snapshot.pressure == .normal)
    #expect(report.endurance.peakBytes == 304, "one frame at a time")
  }

  @Test func framesAndWhatIsKeptBesideThemCount() async throws {
    let tight = try await Self.report(budget: 310)
    #expect(tight.snapshot.detections == 0)
    #expect(tight.snapshot.detectionsRefused == 4)
    let shared = try await Self.report(budget: 10_000, memory: ScriptedMemory(bytes: 9_300))
    #expect(shared.snapshot.detectionsRefused == 4)
    #expect(shared.endurance.peakBytes == 9_604)
  }

  @Test func whatAnOpenBreakerKeepsOutIsCountedByItself() async throws {
    let report = try await Self.report(budget: 10_000, detector: Broken())
    #expect(report.snapshot.detectionFailures == 4)
    #expect(report.snapshot.detectionsBroken > 0)
    #expect(report.snapshot.detectionsRefused == 0)
  }
}
