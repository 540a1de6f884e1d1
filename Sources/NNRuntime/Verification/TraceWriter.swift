import FileFormats
import NNRuntime

/// Writes the layers' results of a run to a safetensors file, each as soon as it is complete.
package enum TraceWriter {
  /// Runs `session` and writes its inputs and the layers whose name fits a pattern (all without patterns).
  ///
  /// Tensors are float32 under their module path: (1, channels, height, width), or (1, tokens, channels). An output
  /// of the network is also named in the metadata, `output.NAME` = its layer.
  ///
  /// - Returns: the names of the layers written.
  /// - Throws: `FileError`, and what `prepare` throws.
  package static func write(
    _ session: Session, layers patterns: [String] = [], metadata: [String: String] = [:], to path: String,
    overwrite: Bool, prepare: (borrowing SessionInputs) throws -> Void
  ) throws -> [String] {
    let patterns = patterns.map(NamePattern.init)
    let plan = session.plan
    var seen = Set(plan.inputs.map(\.name))
    let layers = plan.tracedLayers.filter { layer in
      (patterns.isEmpty || patterns.contains { $0.matches(layer.name) }) && seen.insert(layer.name).inserted
    }
    let inputs = plan.inputs.map { port in
      (port: port, extents: [port.shape.images, port.shape.channels, port.shape.height, port.shape.width])
    }
    var metadata = metadata
    for layer in layers { if let output = layer.output { metadata["output.\(output)"] = layer.name } }
    let entries =
      inputs.map { SafetensorsWriter.Entry(name: $0.port.name, dtype: .float32, shape: $0.extents) }
      + layers.map { SafetensorsWriter.Entry(name: $0.name, dtype: .float32, shape: $0.tensorShape) }
    metadata[RecordedLayer.metadataKey] = RecordedLayer.text(
      of: try recorded(layers, of: session, prepare: prepare))
    let writer = try SafetensorsWriter(
      path: path, entries: entries, metadata: metadata, overwrite: overwrite)
    try session.stepwise { target in
      try prepare(target)
      for input in inputs {
        let shape = input.port.shape
        let planes = target.fill(input.port) { span in
          var planes = [Float](repeating: 0, count: shape.count)
          for pixel in 0..<shape.batchPixels {
            let (image, place) = pixel.quotientAndRemainder(dividingBy: shape.pixels)
            for channel in 0..<shape.channels {
              planes[(image * shape.channels + channel) * shape.pixels + place] =
                span[pixel * shape.channels + channel]
            }
          }
          return planes
        }
        try writer.append(Tensor(shape: input.extents, floats: planes))
      }
    } body: { run in
      var next = 0
      while let step = run.advance() {
        while next < layers.count, layers[next].step <= step {
          try writer.append(run.tensor(of: layers[next]))
          next += 1
        }
      }
    }
    try writer.finish()
    return layers.map(\.name)
  }

  /// Records of layers in a trace besides their results.
  ///
  /// It takes a run of its own, since it precedes the
  /// results in the file.
  private static func recorded(
    _ layers: [TracedLayer], of session: Session, prepare: (borrowing SessionInputs) throws -> Void
  ) throws -> [RecordedLayer] {
    var recorded: [RecordedLayer] = []
    let precision = session.plan.options.precision
    try session.stepwise(prepare: prepare) { run in
      var next = 0
      var terms = 1
      while let step = run.advance() {
        terms = max(terms, session.plan.longestSum(ofStep: step))
        while next < layers.count, layers[next].step <= step {
          let layer = layers[next]
          recorded.append(
            RecordedLayer(
              name: layer.name, holds: layer.holds, kinds: layer.kinds, operation: layer.operation,
              conditioning: run.conditioning(of: layer, precision: precision, terms: terms)))
          next += 1
          terms = 1
        }
      }
    }
    return recorded
  }
}
