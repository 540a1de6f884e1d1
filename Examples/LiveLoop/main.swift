// The live loop on a platform of your own: a camera, a detector, a screen, and nothing else.
//
//   swift run LiveLoop [view.png [capture]]
//
// Each adapter below stands for the platform's: ARKit's session, a network, a Metal view. With a capture its frames come at
// the times of their stamps, as from a camera.

import AppCore
import Geometry
import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The camera: walks to the right past a bright ball in front of a wall, thirty pictures a second.
struct Camera: FrameSource {
  static let size = PixelSize(width: 640, height: 480)
  static let ball = Point3<World>(0.2, 0, -1.5)
  static let radius = 0.15
  let frameCount: Int
  let time: any TimeSource

  func frames() -> AsyncThrowingStream<CapturedFrame, any Error> {
    AsyncThrowingStream { continuation in
      let shooting = Task {
        for number in 0..<frameCount {
          try await time.sleep(for: .seconds(1) / 30)
          continuation.yield(try shoot(number))
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in shooting.cancel() }
    }
  }

  private func shoot(_ number: Int) throws -> CapturedFrame {
    let pose = RigidTransform<CameraARKit, World>(
      rotation: .identity, origin: Point3(0.004 * Double(number), 0, 0))
    let camera = try Intrinsics(
      fx: 500, fy: 500, cx: 319.5, cy: 239.5, imageWidth: Self.size.width, imageHeight: Self.size.height)
    let middle = camera.project(pose.inverse.apply(Self.ball))!
    let pixels = Self.radius * camera.fx / 1.5
    var image = RGBImage(
      width: Self.size.width, height: Self.size.height, color: Color(red: 40, green: 50, blue: 60))
    var depth = Plane<Float>(width: 160, height: 120, fill: 2.5)
    for y in 0..<image.height {
      for x in 0..<image.width {
        let (dx, dy) = (Double(x) - middle.x, Double(y) - middle.y)
        guard dx * dx + dy * dy < pixels * pixels else { continue }
        image[x, y] = Color(red: 240, green: 200, blue: 60)
        depth[x / 4, y / 4] = 1.5
      }
    }
    return CapturedFrame(
      name: "\(number)", image: image, imageSize: Self.size, depth: depth, intrinsics: camera,
      cameraToWorld: pose, timestamp: Double(number) / 30)
  }
}

/// The network: finds what is bright, unless its accelerator is taken away for a while.
actor BrightnessDetector: Detector {
  struct Busy: Error {}
  private var calls = 0

  func detect(in picture: RGBImage) async throws -> [UprightDetection] {
    calls += 1
    if (2...3).contains(calls) { throw Busy() }
    var box: Rect<UprightPixels>?
    for y in 0..<picture.height {
      for x in 0..<picture.width where picture[x, y].red > 200 {
        let pixel = Rect<UprightPixels>(x: Double(x), y: Double(y), width: 1, height: 1)
        box = Rect(
          minX: min(box?.minX ?? pixel.minX, pixel.minX), minY: min(box?.minY ?? pixel.minY, pixel.minY),
          maxX: max(box?.maxX ?? pixel.maxX, pixel.maxX), maxY: max(box?.maxY ?? pixel.maxY, pixel.maxY))
      }
    }
    return box.map { [UprightDetection(id: 0, classId: 0, className: "ball", confidence: 0.9, box: $0)] }
      ?? []
  }
}

/// The screen: draws the view and keeps the last picture.
actor Screen: RenderSink {
  let director: LiveDirector
  private(set) var last: RGBImage?

  init(director: LiveDirector) { self.director = director }

  func present(_ frame: CapturedFrame, state: LiveSnapshot) async throws {
    last = await LiveViewCompositor().compose(frame, try await director.overlay(for: frame, state: state))
  }
}

let time = SystemTime()
let scene = FilmScene()
let stage = EffectStage(time: time, pool: PlayerPool(factory: FilmLibrary(time: time)), scene: scene)
let director = LiveDirector(
  stage: stage, scene: scene, wishes: [EffectWish(.magic, on: .className("ball"))], time: time)
let screen = Screen(director: director)
let arguments = CommandLine.arguments.dropFirst()
let camera: any FrameSource =
  if let capture = arguments.dropFirst().first {
    ReplaySource(try CaptureReader.open(capture), time: time)
  } else {
    Camera(frameCount: 75, time: time)
  }

// A detector that fails twice in a row is left alone for half a second, and has to work twice to be trusted again.
var configuration = LiveConfiguration()
configuration.retry.retries = 0
configuration.breaker.consecutiveFailures = 2
configuration.breaker.openDuration = .milliseconds(500)
configuration.breaker.successesToClose = 2
let session = LiveSession(
  source: camera, sink: screen, detector: BrightnessDetector(),
  surroundings: LiveSurroundings(time: time, health: LinuxHealth(), memory: director, observer: director),
  configuration: configuration)

let watching = Task {
  var (seen, breaker) = (0, CircuitBreaker.Phase.closed)
  for await state in session.snapshots() {
    if state.breaker != breaker {
      breaker = state.breaker
      print("\(state.framesShown) frames, the breaker is \(breaker.rawValue)")
    }
    guard state.detections > seen else { continue }
    seen = state.detections
    print("\(state.framesShown) frames, objects: \(state.objects.map { "\($0.className) \($0.id)" })")
  }
}
let report = try await session.run()
await watching.value
print(
  "\(report.snapshot.framesShown) of \(report.snapshot.framesSeen) frames shown, "
    + "\(report.snapshot.framesDropped) dropped, effects: \(stage.effects.map(\.effect.type.rawValue)), "
    + "at most \((report.endurance.peakBytes ?? 0) / 1_000_000) MB held, breaker \(report.snapshot.breaker.rawValue)"
)
if let picture = await screen.last, let path = arguments.first {
  try Data(ImageCodec.encodePNG(picture)).write(to: URL(filePath: path))
}
