// From a capture with depth to where its objects stand in the world, in meters.
//
//   swift run -c release LocateObjects weights/yolo11n-seg.safetensors CAPTURE

import AppCore
import Geometry
import Imaging
import Models
import NNRuntime
import Perception

guard CommandLine.arguments.count == 3 else { fatalError("usage: LocateObjects WEIGHTS CAPTURE") }

let network = try YOLODetector(weights: try WeightStore(path: CommandLine.arguments[1]))
let frame = try CaptureReader.open(CommandLine.arguments[2]).frame(at: 0)
guard let picture = frame.image else { fatalError("\(frame.name) has no picture") }

// Networks look at the upright picture; what they find is measured in the picture as stored, of which the camera's
// numbers and the depth speak. The compiler does not let the two be mixed up.
let found = try network.detect(picture.oriented(frame.orientation)).detections
let detections = found.map { $0.turnedBack(from: frame.orientation, stored: frame.imageSize) }

for object in ExtentEstimator(scene: DepthScene(frame: frame)).extents(of: detections) {
  let meters = object.distance.meters.map { "\($0) m away" } ?? "at no known distance"
  let points = object.cloud.count
  guard points > 0 else {
    print("\(object.className) \(meters)")
    continue
  }
  let sum = object.cloud.reduce(Vector3<World>(0, 0, 0)) { $0 + ($1 - Point3(0, 0, 0)) }
  let middle = Point3<World>(0, 0, 0) + sum * (1 / Double(points))
  print("\(object.className) \(meters), around (\(middle.x), \(middle.y), \(middle.z)), \(points) points")
}
print("\(detections.count) objects in \(frame.name)")
