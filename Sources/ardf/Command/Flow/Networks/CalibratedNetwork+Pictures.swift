import Geometry
import Imaging
import Models
import NNRuntime
import NNVerification

extension CalibratedNetwork {
  /// `size`: of all inputs; nil for the size that the network takes for each picture.
  init(_ network: InspectedNetwork, _ images: [RGBImage], size: PixelSize?) throws {
    var sizes: [PixelSize] = []
    var sessions: [Session] = []
    let pictures = try images.map { image in
      let size = try size ?? network.inputSize(for: image)
      if !sizes.contains(size) {
        sizes.append(size)
        sessions.append(try network.session(for: size))
      }
      guard let index = sizes.firstIndex(of: size) else { preconditionFailure("just added") }
      return OutputReference.Picture(session: index) { try network.fill($0, with: image, size: size) }
    }
    self.init(name: network.name, sessions: sessions, pictures: pictures)
  }
}
