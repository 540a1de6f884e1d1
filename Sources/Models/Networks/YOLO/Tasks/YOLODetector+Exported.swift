import Geometry
import NNRuntime

/// The outputs of a network as Ultralytics' ONNX export has them.
package struct ExportedOutputs: Sendable, Equatable {
  /// The decoded numbers of all anchors, or of objects, row-major.
  ///
  /// Of a head whose boxes are suppressed: center x, center y, width and height in pixels of the input, class
  /// probabilities, and mask coefficients, key points or an angle, of all anchors: (4 + classes + extras, anchors).
  ///
  /// Of one that gives each object one box, as `export(nms=False)` has it, its objects, best first: left, top, right and
  /// bottom, or center and sides of oriented boxes, the score, the class, and the same extras:
  /// (min(300, anchors), 6 + extras).
  package let output0: [Float]
  /// Mask prototypes: (coefficients, height / 4, width / 4), row-major; nil of networks without.
  package let output1: [Float]?
}

extension YOLODetector {
  /// Rows and columns of `output0` for an input.
  package func exportedShape(of size: PixelSize) -> (rows: Int, columns: Int) {
    let anchors = PyramidLevel.pyramid(inputHeight: size.height, inputWidth: size.width)
      .reduce(0) { $0 + $1.count }
    return architecture.isEndToEnd
      ? (min(EndToEndSelection.leastCount, anchors), exportedChannels)
      : (exportedChannels, anchors)
  }

  /// Numbers of an anchor, or of an object.
  package var exportedChannels: Int {
    (architecture.isEndToEnd ? 6 : 4 + architecture.classCount) + architecture.extras
  }

  /// The network's outputs for an input as an ONNX export takes it.
  ///
  /// - `planar`: (3, height, width), row-major, RGB in [0, 1].
  ///
  /// - Throws: `YOLOError` for a size that the network cannot have, and where it cannot be planned.
  package func exportedOutputs(planar: ArraySlice<Float>, size: PixelSize) throws(YOLOError)
    -> ExportedOutputs
  {
    let session = try session(for: size)
    let ports = try YOLOError.of(ports: { () throws(PortError) in
      try YOLOPorts(session.plan, task: architecture.task)
    })
    precondition(planar.count == size.width * size.height * 3, "three channels per pixel")
    return session.run(
      prepare: { inputs in
        inputs.fill(ports.input) { interleave(planar, into: &$0) }
      },
      read: { outputs in
        ExportedOutputs(
          output0: architecture.isEndToEnd
            ? chosen(outputs, ports, size: size) : self.output0(outputs, ports, size: size),
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

  /// The objects that a head without suppression gives.
  private func chosen(
    _ outputs: borrowing SessionOutputs, _ ports: YOLOPorts, size: PixelSize
  ) -> [Float] {
    let levels = PyramidLevel.pyramid(inputHeight: size.height, inputWidth: size.width)
    var logits: [Float] = []
    for maps in ports.levels {
      outputs.withElements(of: maps.classes) { classes, _ in
        for index in classes.indices { logits.append(classes[index]) }
      }
    }
    let decoder = AnchorDecoder(architecture)
    let none: [Float] = []
    let classCount = architecture.classCount
    return EndToEndSelection.best(ofLogits: logits, classCount: classCount).flatMap { choice in
      let index = levels.lastIndex { $0.firstAnchor <= choice.anchor } ?? 0
      let (level, maps) = (levels[index], ports.levels[index])
      let cell = choice.anchor - level.firstAnchor
      let column = outputs.withElements(of: maps.boxes) { boxes, _ in
        outputs.withElements(of: maps.classes) { classes, _ in
          guard let port = maps.extras else {
            return decoder.column(of: cell, level: level, boxes: boxes, classes: classes, extras: none.span)
          }
          return outputs.withElements(of: port) { extras, _ in
            decoder.column(of: cell, level: level, boxes: boxes, classes: classes, extras: extras)
          }
        }
      }
      var row = Array(column[..<4])
      row.append(column[4 + choice.classIndex])
      row.append(Float(choice.classIndex))
      row.append(contentsOf: column[(4 + classCount)...])
      return row
    }
  }
}
