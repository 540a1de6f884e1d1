import Geometry
import NNRuntime

/// The raw outputs of a YOLO network that finds objects, channels-last, for comparison with a reference.
package struct YOLOOutputs: Sendable {
  /// A map: height x width x channels, row-major.
  package struct Map: Sendable {
    /// Sizes of the map.
    package let height, width, channels: Int
    /// The values, row-major.
    package let elements: [Float]
  }

  /// Maps by name, for level L = 0, 1, 2: `box.L`, `cls.L` and what else there is of an object; and `proto`.
  package let maps: [String: Map]
  /// Center x, center y, width, height, class probabilities, and mask coefficients, key points or an angle of all
  /// anchors: (4 + classes + extras, anchors), row-major.
  ///
  /// Boxes of heads without suppression are by their corners.
  package let output0: [Float]

  init(
    _ outputs: borrowing SessionOutputs, _ ports: YOLOPorts, architecture: YOLOArchitecture, size: PixelSize
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
    let rows = 4 + architecture.classCount + architecture.extras
    var output0 = [Float](repeating: 0, count: rows * anchors)
    let decoder = AnchorDecoder(architecture)
    for (level, ports) in zip(levels, ports.levels) {
      let boxes = maps[ports.boxes.name]?.elements ?? []
      let classes = maps[ports.classes.name]?.elements ?? []
      let extras = ports.extras.flatMap { maps[$0.name]?.elements } ?? []
      decoder.decode(
        level, boxes: boxes.span, classes: classes.span, extras: extras.span, anchorCount: anchors,
        into: &output0)
    }
    self.output0 = output0
  }
}
