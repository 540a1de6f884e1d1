import Geometry
import NNRuntime

/// The outputs of a network as Ultralytics' ONNX export has them.
package struct ExportedOutputs: Sendable, Equatable {
  /// Centre x, centre y, width and height in pixels of the input, class probabilities and mask coefficients of all
  /// anchors: (4 + classes + coefficients, anchors), row-major.
  package let output0: [Float]
  /// Mask prototypes: (coefficients, height / 4, width / 4), row-major.
  package let output1: [Float]
}

extension YOLO11Segmentation {
  /// Anchors of an input.
  package static func anchorCount(of size: PixelSize) -> Int {
    PyramidLevel.pyramid(inputHeight: size.height, inputWidth: size.width).reduce(0) { $0 + $1.count }
  }

  /// The network's outputs for an input as an ONNX export takes it.
  ///
  /// - `planar`: (3, height, width), row-major, RGB in [0, 1].
  ///
  /// - Throws: `YOLOError` for a size that the network cannot have, and where it cannot be planned.
  package func exportedOutputs(planar: Span<Float>, size: PixelSize) throws(YOLOError) -> ExportedOutputs {
    let session = try session(for: size)
    let ports = try YOLOError.of(ports: { () throws(PortError) in try YOLO11Ports(session.plan) })
    precondition(planar.count == size.width * size.height * 3, "three channels a pixel")
    let levels = PyramidLevel.pyramid(inputHeight: size.height, inputWidth: size.width)
    let anchors = levels.reduce(0) { $0 + $1.count }
    return session.run(
      prepare: { inputs in
        inputs.fill(ports.input) { interleave(planar, into: &$0) }
      },
      read: { outputs in
        var output0 = [Float](
          repeating: 0, count: (4 + architecture.classCount + architecture.coefficients) * anchors)
        for (level, maps) in zip(levels, ports.levels) {
          outputs.withElements(of: maps.boxes) { boxes, _ in
            outputs.withElements(of: maps.classes) { classes, _ in
              outputs.withElements(of: maps.coefficients) { coefficients, _ in
                HeadDecoding.decode(
                  level: level, boxes: boxes, classes: classes, coefficients: coefficients,
                  classCount: architecture.classCount, coefficientCount: architecture.coefficients,
                  anchorCount: anchors, into: &output0)
              }
            }
          }
        }
        let channels = architecture.coefficients
        let output1 = outputs.withElements(of: ports.prototypes) { prototypes, stride in
          planes(prototypes, channels: channels, pixels: ports.prototypes.shape.pixels, pixelStride: stride)
        }
        return ExportedOutputs(output0: output0, output1: output1)
      })
  }
}
