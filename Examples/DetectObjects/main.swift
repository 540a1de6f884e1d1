// Finds objects in a picture.
//
//   swift run -c release DetectObjects weights/yolo11n-seg.safetensors bus.jpg

import Imaging
import Models
import NNRuntime

guard CommandLine.arguments.count == 3 else { fatalError("usage: DetectObjects WEIGHTS PICTURE") }

let network = try YOLODetector(weights: try WeightStore(path: CommandLine.arguments[1]))
let picture = try ImageCodec.decode(path: CommandLine.arguments[2]).upright()

let result = try network.detect(picture)
for object in result.objects {
  print("\(object.className) \(object.confidence) at \(object.box)")
}
print("\(result.objects.count) objects in \(picture.width)x\(picture.height) pixels")
