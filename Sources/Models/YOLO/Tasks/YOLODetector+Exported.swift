import Geometry
import NNRuntime

/// The outputs of a network as Ultralytics' ONNX export has them.
package struct ExportedOutputs: Sendable, Equatable {
  /// Center x, center y, width and height in pixels of the input, class probabilities, and mask coefficients, key points
  /// or an angle, of all anchors: (4 + classes + extras, anchors), row-major.
  package let output0: [Float]
  /// Mask prototypes: (coefficients, height / 4, width / 4), row-major; nil of networks without.
  package let output1: [Float]?
}

extension YOLODetector {
  /// Anchors of an input.
  package static func anchorCount(of size: PixelSize) -> Int {
    PyramidLevel.pyramid(inputHeight: size.height, inputWidth: size.width).reduce(0) { $0 + $1.count }
  }

  /// The network's outputs for an input as an ONNX export takes it.
  ///
  /// The head must be one whose boxes are suppressed: an export of the other has its choice of objects instead.
  ///
  /// - `planar`: (3, height, width), row-major, RGB in [0, 1].
  ///
  /// - Throws: `YOLOError` for a size that the network cannot have, and where it cannot be planned.
  package func exportedOutputs(planar: ArraySlice<Float>, size: PixelSize) throws(YOLOError)
    -> ExportedOutputs
  {
    precondition(!architecture.isEndToEnd, "a head without suppression has no such export")
    let session = try session(for: size)
    let ports = try YOLOError.of(ports: { () throws(PortError) in
      try YOLOPorts(session.plan, task: architecture.task)
    })
    precondition(planar.count == size.width * size.height * 3, "three channels a pixel")
    return session.run(
      prepare: { inputs in
        inputs.fill(ports.input) { interleave(planar, into: &$0) }
      },
      read: { outputs in
        ExportedOutputs(
          output0: self.output0(outputs, ports, size: size),
          output1: ports.prototypes.map { port in
            outputs.withElements(of: port) { prototypes, stride in
              planes(
                prototypes, channels: architecture.extras, pixels: port.shape.pixels, pixelStride: stride)
            }
          })
      })
  }

  private func output0(
    _ outputs: borrowing SessionOutputs, _ ports: YOLOPorts, size: PixelSize
  ) -> [Float] {
    let levels = PyramidLevel.pyramid(inputHeight: size.height, inputWidth: size.width)
    let anchors = levels.reduce(0) { $0 + $1.count }
    let rows = 4 + architecture.classCount + architecture.extras
    var output0 = [Float](repeating: 0, count: rows * anchors)
    let decoder = AnchorDecoder(architecture)
    let none: [Float] = []
    for (level, maps) in zip(levels, ports.levels) {
      outputs.withElements(of: maps.boxes) { boxes, _ in
        outputs.withElements(of: maps.classes) { classes, _ in
          guard let port = maps.extras else {
            return decoder.decode(
              level, boxes: boxes, classes: classes, extras: none.span, anchorCount: anchors, into: &output0)
          }
          outputs.withElements(of: port) { extras, _ in
            decoder.decode(
              level, boxes: boxes, classes: classes, extras: extras, anchorCount: anchors, into: &output0)
          }
        }
      }
    }
    return output0
  }
}
