import FileFormats
import Imaging

extension Operators {
  /// Encoded pictures.
  static let pictures: [Operator] = [
    Operator("ImageDecoder", versions: 20...newestVersion, ["pixel_format"], inputs: 1...1) { call in
      let data = try call.tensor(0)
      guard data.type == .uint8, data.rank == 1 else {
        throw ONNXError.malformed("an input that is not a row of bytes")
      }
      let format = try call.choice("pixel_format", ["RGB", "BGR", "Grayscale"])
      let image: RGBImage
      do throws(ImageError) {
        // As stored: the operator turns nothing.
        image = try ImageCodec.decode(data.array(of: UInt8.self)).image
      } catch {
        throw error.fault == .unavailable
          ? ONNXError.unsupported("\(error.defect)") : ONNXError.malformed("\(error.defect)")
      }
      let pixels = image.pixels
      let count = image.width * image.height
      func shaped(_ channels: Int, _ elements: [UInt8]) -> Tensor {
        Tensor([image.height, image.width, channels], elements)
      }
      switch format {
      case "BGR": return shaped(3, pixels.indices.map { pixels[$0 + 2 - 2 * ($0 % 3)] })
      case "Grayscale":
        return shaped(1, (0..<count).map { luma(of: pixels[3 * $0..<3 * $0 + 3]) })
      default: return shaped(3, pixels)
      }
    }
  ]

  /// Luma of ITU-R BT.601, its weights as fractions of 65,536.
  private static func luma(of pixel: ArraySlice<UInt8>) -> UInt8 {
    let sum = zip(pixel, [19595, 38470, 7471]).reduce(0x8000) { $0 + Int($1.0) * $1.1 }
    return UInt8(sum >> 16)
  }
}
