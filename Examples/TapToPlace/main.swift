// A phone app's flow without the phone: load, look at a snapshot, tap an object, choose an effect, go back to the live view.
//
//   swift run TapToPlace [depth.png]
//
// The camera's buffer arrives as luma and chroma (420f); the detector's thresholds belong to the user, who may move them
// at any time. The picture written shows depth in false colors with the edges of masks, to see whether they agree.

import AppCore
import Geometry
import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The network: what is bright is a lamp, with a score of 0.6.
struct LampDetector: AdjustableDetector {
  func detect(in picture: RGBImage, thresholds: AdjustableThresholds) async throws -> [UprightDetection] {
    guard thresholds.confidence < 0.6 else { return [] }
    var box: Rect<UprightPixels>?
    for y in 0..<picture.height {
      for x in 0..<picture.width where picture[x, y].green > 200 {
        let pixel = Rect<UprightPixels>(x: Double(x), y: Double(y), width: 1, height: 1)
        box = Rect(
          minX: min(box?.minX ?? pixel.minX, pixel.minX), minY: min(box?.minY ?? pixel.minY, pixel.minY),
          maxX: max(box?.maxX ?? pixel.maxX, pixel.maxX), maxY: max(box?.maxY ?? pixel.maxY, pixel.maxY))
      }
    }
    return box.map { [UprightDetection(id: 0, classId: 0, className: "lamp", confidence: 0.6, box: $0)] }
      ?? []
  }
}

/// A picture as a camera hands it over: a bright square in the dark.
func cameraPicture(_ size: PixelSize, lamp: Range<Int>) throws -> YCbCrPicture {
  var luma = [UInt8](repeating: 30, count: size.width * size.height)
  for y in lamp { for x in lamp { luma[y * size.width + x] = 230 } }
  let chroma = [UInt8](repeating: 128, count: size.width / 2 * (size.height / 2) * 2)
  return try YCbCrPicture(width: size.width, height: size.height, luma: luma, chroma: chroma)
}

let size = PixelSize(width: 320, height: 240)
let lamp = 100..<160
var depth = Plane<Float>(width: 80, height: 60, fill: 2.5)
for y in 25..<40 { for x in 25..<40 { depth[x, y] = 1.5 } }
let frame = CapturedFrame(
  name: "snapshot", image: try cameraPicture(size, lamp: lamp).rgb(.rec709), imageSize: size, depth: depth,
  intrinsics: try Intrinsics(
    fx: 260, fy: 260, cx: 159.5, cy: 119.5, imageWidth: size.width, imageHeight: size.height),
  cameraToWorld: RigidTransform(rotation: .identity, origin: Point3(0, 1.4, 0)))

let time = SystemTime()
let monitor = WindowPerformanceMonitor(time: time, memory: ProcessMemory())
monitor.start()
var usage = UsageCounters(isEnabled: true)
usage.count(.sessions)

let thresholds = ThresholdStore()
let stage = EffectStage(time: time, pool: PlayerPool(factory: FilmLibrary(time: time)), scene: FilmScene())
let session = FlowSession(
  detector: ThresholdedDetector(LampDetector(), store: thresholds), stage: stage, time: time,
  loaders: [.detector: {}, .effects: {}])
await session.load()

// Nothing is sure enough for the app's own threshold of 0.75; the user lowers it.
try await session.detect(frame)
print("confidence over \(thresholds.current.confidence): \(session.current.status)")
thresholds.current = try AdjustableThresholds(confidence: 0.5, overlap: 0.5)
try await session.detect(frame)
usage.count(.detections)
print("confidence over \(thresholds.current.confidence): \(session.current.status)")

// A tap into the middle of the lamp, on a view of half the size; then an effect, and back.
let view = ViewMapping<UprightPixels, ViewPoints>(
  source: size, targetWidth: 160, targetHeight: 120, mode: .aspectFill)
let results = session.current.results
if let id = try await session.tap(Point2(65, 65), view: view) {
  try await session.choose(.magic)
  try await session.back()
  print("tapped object \(id); effects that stand: \(session.current.effects.map(\.effect.type.rawValue))")
}
monitor.frameShown()
usage.count(.framesShown)
print(
  "\(usage[.detections]) detection, \(usage[.framesShown]) frame shown, memory known: \(monitor.memoryUsageMB != nil)"
)

if let results, let path = CommandLine.arguments.dropFirst().first {
  let picture = DebugView.render(
    depth: depth, detections: results.detections, imageSize: size, orientation: frame.orientation)
  try Data(ImageCodec.encodePNG(picture)).write(to: URL(filePath: path))
}
