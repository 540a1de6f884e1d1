// Detects with a weight file and a picture, as a user of the library does.
import Imaging
import Models
import NNRuntime

let network = try YOLODetector(weights: WeightStore(path: CommandLine.arguments[1]))
let picture = try ImageCodec.decode(path: CommandLine.arguments[2]).upright()
let found = try network.detect(picture)
guard !found.objects.isEmpty else { fatalError("nothing was found") }
for object in found.objects { print(object.className, object.confidence, object.box) }

// What there is not is an error that can be caught.
let session = try network.session(for: found.letterbox.networkSize)
do {
  _ = try session.input("inputt")
  fatalError("there is an input of that name")
} catch .noInput(let name, let known) {
  print("no \(name), but \(known)")
} catch {
  fatalError("\(error)")
}
