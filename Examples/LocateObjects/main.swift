// From a capture with depth to where its objects stand in the world, in meters.
//
//   swift run -c release LocateObjects weights/yolo11n-seg.safetensors CAPTURE [weights/dav2s-ardf-fp16.safetensors]

import AppCore
import Geometry
import Imaging
import Models
import NNRuntime
import Perception

let arguments = CommandLine.arguments.dropFirst()
guard (2...3).contains(arguments.count) else {
  fatalError("usage: LocateObjects WEIGHTS CAPTURE [DEPTH WEIGHTS]")
}

// Both networks share one team of threads. Without a depth network distances come from the capture's sensor alone.
let pool = ThreadPool()
let network = try YOLODetector(weights: try WeightStore(path: arguments[1]), pool: pool)
let depth = try arguments.dropFirst(2).first.map {
  try DepthAnythingV2(weights: try WeightStore(path: $0), pool: pool)
}
let perceiver = Perceiver(detector: ObjectDetector(network), depth: depth)
let frame = try CaptureReader.open(arguments[2]).frame(at: 0)

let perceived = try await perceiver.perceive(frame) { timing in
  if case .detection(_, _, let whole) = timing { print("objects found in \(whole)") }
}
for object in perceived.extents {
  let meters = object.distance.meters.map { "\($0) m away" } ?? "at no known distance"
  guard let box = object.box3D else {
    print("\(object.className) \(meters)")
    continue
  }
  let (center, sides) = (box.center, box.dimensions)
  print(
    "\(object.className) \(meters), around (\(center.x), \(center.y), \(center.z)), "
      + "\(sides.x) x \(sides.y) x \(sides.z) m")
}
for note in perceived.notes { print("note: \(note)") }
print("\(perceived.detections.count) objects in \(frame.name)")
