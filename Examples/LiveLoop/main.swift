// The live loop on a platform of your own: a camera, a detector, a screen, and nothing else.
//
//   swift run LiveLoop [view.png]
//
// Each adapter below stands for the platform's: ARKit's session, a network, a Metal view.

import AppCore
import FoundationEssentials
import Geometry
import Imaging

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

/// The network: finds what is bright.
struct BrightnessDetector: Detector {
  func detect(in picture: RGBImage) async throws -> [UprightDetection] {
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
let session = LiveSession(
  source: Camera(frameCount: 60, time: time), sink: screen, detector: BrightnessDetector(),
  surroundings: LiveSurroundings(time: time, health: LinuxHealth(), observer: director))

let watching = Task {
  var seen = 0
  for await state in session.snapshots() where state.detections > seen {
    seen = state.detections
    print("\(state.framesShown) frames, objects: \(state.objects.map { "\($0.className) \($0.id)" })")
  }
}
let report = try await session.run()
await watching.value
print(
  "\(report.snapshot.framesShown) of \(report.snapshot.framesSeen) frames shown, "
    + "\(report.snapshot.framesDropped) dropped, effects: \(stage.effects.map(\.effect.type.rawValue))")
if let picture = await screen.last, let path = CommandLine.arguments.dropFirst().first {
  try Data(ImageCodec.encodePNG(picture)).write(to: URL(filePath: path))
}
