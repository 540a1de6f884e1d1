import Geometry
import Imaging
import NNRuntime
import TestSupport

/// A real picture that there are references of.
enum ReferencePicture {
  static let names = ["bus", "zidane", "coffee", "chelsea", "astronaut", "bedroom-00000", "bedroom-00030"]

  /// The picture as the reference saw it: the bedroom turned clockwise.
  static func load(_ name: String) throws -> RGBImage {
    if name.hasPrefix("bedroom-") {
      let path = SharedData.path("data/captures/bedroom/\(name.dropFirst(8))_rgb.jpg")
      return try ImageCodec.decode(path: path).upright().oriented(.right)
    }
    let path = SharedData.path("data/images/\(name)")
    let jpeg = SharedData.exists("data/images/\(name).jpg")
    return try ImageCodec.decode(path: path + (jpeg ? ".jpg" : ".png")).upright()
  }
}
