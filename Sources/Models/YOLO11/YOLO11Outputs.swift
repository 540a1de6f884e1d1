import Geometry
import NNRuntime

/// The raw outputs of a YOLO11-seg network, channels-last, for comparison with a reference.
package struct YOLO11Outputs: Sendable {
  /// A map: height x width x channels, row-major.
  package struct Map: Sendable {
    /// Sizes of the map.
    package let height, width, channels: Int
    /// The values, row-major.
    package let elements: [Float]
  }

  /// Maps by name, for level L = 0, 1, 2: `box.L`, `cls.L`, `coef.L`; and `proto`.
  package let maps: [String: Map]
  /// Centre x, centre y, width, height, class probabilities and mask coefficients of all anchors:
  /// (4 + classes + coefficients, anchors), row-major.
  package let output0: [Float]

  init(
    _ outputs: borrowing SessionOutputs, _ ports: YOLO11Ports, architecture: YOLO11Architecture,
    size: PixelSize
  ) {
    var maps: [String: Map] = [:]
    for port in ports.outputs {
      maps[port.name] = Map(
        height: port.shape.height, width: port.shape.width, channels: port.shape.channels,
        elements: outputs.elements(of: port))
    }
    self.maps = maps
    let levels = PyramidLevel.pyramid(inputHeight: size.height, inputWidth: size.width)
    let anchors = levels.reduce(0) { $0 + $1.count }
    var output0 = [Float](
      repeating: 0, count: (4 + architecture.classCount + architecture.coefficients) * anchors)
    for (index, level) in levels.enumerated() {
      let (boxes, classes, coefficients) = (
        maps["box.\(index)"]!, maps["cls.\(index)"]!, maps["coef.\(index)"]!
      )
      HeadDecoding.decode(
        level: level, boxes: boxes.elements.span, classes: classes.elements.span,
        coefficients: coefficients.elements.span, classCount: architecture.classCount,
        coefficientCount: architecture.coefficients, anchorCount: anchors, into: &output0)
    }
    self.output0 = output0
  }
}
