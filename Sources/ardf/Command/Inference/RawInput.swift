import InferenceProtocol
import InferenceServing

/// Limits on raw inputs.
enum RawInput {
  /// Pixels of an input, which set the memory of a run.
  static let mostPixels = 1280 * 1280
  /// Pictures of one request.
  static let mostPictures = 64

  /// Batch, height and width of `(N, 3, height, width)`.
  static func sizes(of tensor: ProtocolTensor, multipleOf step: Int) throws -> (
    batch: Int, height: Int, width: Int
  ) {
    let (batch, height, width) = (tensor.shape[0], tensor.shape[2], tensor.shape[3])
    guard (1...mostPictures).contains(batch) else {
      throw UnfitInput("\(tensor.name): send 1 to \(mostPictures) pictures, not \(batch)")
    }
    guard height > 0, width > 0, height.isMultiple(of: step), width.isMultiple(of: step),
      height * width <= mostPixels
    else {
      throw UnfitInput(
        "\(tensor.name): \(height)x\(width): give sides that are multiples of \(step), of at most \(mostPixels) pixels"
      )
    }
    return (batch, height, width)
  }

  /// Refuses inputs for which a network gives non-finite numbers.
  static func checkFinite(_ output: [Float], from input: ProtocolTensor) throws(UnfitInput) {
    guard output.allSatisfy(\.isFinite) else {
      throw UnfitInput(
        "\(input.name): its numbers are too large for the network, whose outputs become infinite")
    }
  }
}
