import NNRuntime
import Testing

@Suite("A map times a vector, as in squeeze and excitation")
struct ChannelProductTests {
  @Test(arguments: [MapShape(height: 5, width: 8, channels: 33), MapShape(height: 1, width: 1, channels: 1)])
  func squeezed(_ shape: MapShape) throws {
    try OperatorReference.check(shape) { x in
      x.multiplied(byChannelsOf: x.globalAveragePool(name: "squeeze"), name: "excite")
    } _: { map in
      var product = map
      for channel in 0..<shape.channels {
        let values = (0..<shape.pixels).map { map[$0 / shape.width, $0 % shape.width, channel] }
        let mean = Double(Float(values.reduce(0, +) / Double(shape.pixels)))
        for pixel in 0..<shape.pixels {
          product[pixel / shape.width, pixel % shape.width, channel] *= mean
        }
      }
      return product
    }
  }
}
