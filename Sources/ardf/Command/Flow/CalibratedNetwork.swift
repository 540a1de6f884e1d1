import Geometry
import Imaging
import Models
import NNRuntime
import NNVerification

/// A network with the pictures that its errors are measured on.
struct CalibratedNetwork {
  let network: InspectedNetwork
  /// One for each size of input.
  let sessions: [Session]
  let pictures: [OutputReference.Picture]

  /// `size`: of all inputs; nil for what the network takes of each picture.
  init(_ network: InspectedNetwork, _ images: [RGBImage], size: PixelSize?) throws {
    var sizes: [PixelSize] = []
    var sessions: [Session] = []
    pictures = try images.map { image in
      let size = try size ?? network.inputSize(for: image)
      if !sizes.contains(size) {
        sizes.append(size)
        sessions.append(try network.session(for: size))
      }
      guard let index = sizes.firstIndex(of: size) else { preconditionFailure("just added") }
      return OutputReference.Picture(session: index) { try network.fill($0, with: image, size: size) }
    }
    self.network = network
    self.sessions = sessions
  }

  /// Its outputs in single precision.
  func exact() throws -> OutputReference {
    let plan = MixedPrecision(network: network.name, precision: .fp32)
    return try OutputReference(sessions.map { try $0.replanned(plan) }, pictures)
  }
}
