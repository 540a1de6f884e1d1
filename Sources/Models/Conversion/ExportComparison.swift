import FileFormats
import Geometry
import NNRuntime
import ONNX

/// Whether an ONNX file computes what is built of its weights.
///
/// Names and shapes of weights do not tell activations, strides, pools or shortcuts. So both networks run on the same
/// noise: every convolution or product that both have under one name must agree, and the outputs that have one shape.
package struct ExportComparison {
  /// The greatest difference, of the largest magnitude of a layer: far above rounding, far below another function.
  private static let tolerance: Float = 0.01
  /// The same of files that compute in half precision.
  private static let toleranceOfHalves: Float = 0.05
  /// The sides of an input with free axes: whole strides of detectors and whole patches of depth networks.
  private static let freeSide = 224
  /// Sides of an input.
  private static let sides = 1...2048
  /// Pictures of an input.
  private static let batches = 1...64

  private let model: ONNXModel
  private let network: InspectedNetwork

  /// Compares a file's graph with the network of its weights.
  ///
  /// - `layers`: modules of convolutions and products, by the names of the values that they make; nil: as nodes and weights
  ///   of the file are named.
  /// - Throws: `.otherModule` where they differ, or where nothing of both could be compared; `.export`.
  package static func check(
    _ bytes: FileBytes, file: String, layers: NameTable<String>? = nil, against weights: WeightStore
  ) throws(CheckpointErrorAt) {
    do {
      let comparison = ExportComparison(
        model: try ONNXModel(bytes, path: file, keepsAll: true),
        network: try InspectedNetwork(weights: weights, pool: ThreadPool()))
      try comparison.compare(layers ?? ExportedWeights(bytes, file: file).layers)
    } catch let error as CheckpointErrorAt {
      throw error
    } catch let error as ONNXError {
      throw CheckpointErrorAt(.export(error))
    } catch {
      throw CheckpointErrorAt(.notBuilt(reason: "\(error)"))
    }
  }

  private func compare(_ layers: NameTable<String>) throws {
    guard model.inputs.count == 1, let port = model.inputPorts.first, let shape = port.shape, shape.count == 4
    else { throw difference("its input", "is not one picture") }
    let (height, width) = (shape[2] ?? Self.freeSide, shape[3] ?? Self.freeSide)
    guard Self.sides.contains(height), Self.sides.contains(width) else {
      throw difference("its input", "is of \(height)x\(width) pixels")
    }
    let size = PixelSize(width: width, height: height)
    guard shape[1] ?? 3 == 3 else { throw difference("its input", "is not a picture of three channels") }
    // Weights do not depend on the number of pictures: as many as it takes, all alike, of which the first is compared.
    let count = shape[0] ?? 1
    guard Self.batches.contains(count) else {
      throw difference(
        "its input",
        "is of \(counted(count, "picture")), where 1 to \(Self.batches.upperBound) can be compared")
    }
    let session = try network.session(for: size)
    let input = try session.input("input")
    var generator = SplitMix64(seed: 1)
    let noise = (0..<3 * size.width * size.height).map { _ in generator.unit() }
    let (theirs, outputs, isHalf) = try values(
      of: layers, noise: noise, count, type: port.type ?? .float, size)
    let ours = values(of: session, input, noise, wanted: theirs)
    let limit = isHalf ? Self.toleranceOfHalves : Self.tolerance
    var (compared, isDecoded) = (0, false)
    for module in ours.layers.keys {
      guard let map = ours.layers[module], let other = theirs[module] else { continue }
      guard other.count == map.elements.count else {
        throw difference(
          module, "it makes \(counted(other.count, "number")), where \(map.elements.count) are made")
      }
      try agree(map.channelsFirst, other, module, limit)
      compared += 1
    }
    for tensor in network.decoding.tensors(of: ours.outputs, input: input.shape) {
      for output in outputs
      where output.shape.drop(while: { $0 == 1 }) == tensor.shape.drop(while: { $0 == 1 }) {
        let (values, name) = (output.floats, tensor.names.first ?? "its output")
        // Exports of heads without suppression have boxes by their corners, or by center and sides.
        if let centered = Self.centered(tensor), (try? agree(centered, values, name, limit)) != nil {
          isDecoded = true
          continue
        }
        try agree(tensor.elements, values, name, limit)
        isDecoded = true
      }
    }
    // Outputs that are decoded in the file have no place of ours; then the layers before them must be there.
    guard compared > ours.outputs.count / 2 || isDecoded else {
      throw difference("its graph", "too few layers in it have the names of the network's to tell")
    }
  }

  // MARK: - Both networks

  /// Runs the file on `count` times the same picture; returns the first one's results of the requested layers, in the
  /// file's order of axes, its outputs, and whether it is in half precision.
  private func values(
    of layers: NameTable<String>, noise: [Float], _ count: Int, type: ElementType, _ size: PixelSize
  ) throws -> (layers: NameTable<[Float]>, outputs: [(shape: [Int], floats: [Float])], isHalf: Bool) {
    let area = size.width * size.height
    let channelsFirst = (0..<3).flatMap { channel in (0..<area).map { Double(noise[$0 * 3 + channel]) } }
    let pictures = ONNX.Tensor(
      type, [count, 3, size.height, size.width],
      doubles: (0..<count).flatMap { _ in channelsFirst })
    var modules: [Int: String] = [:]
    for (name, slot) in model.program.names { modules[slot] = layers[name] }
    var (found, isHalf) = (NameTable<[Float]>(), false)
    let values = try model.run(
      NameTable([(model.inputs[0].name, Value.tensor(pictures))]),
      observer: { step, made in
        for (slot, value) in zip(step.outputs, made) {
          guard let slot, let module = modules[slot], case .tensor(let tensor)? = value else { continue }
          found[module] = Self.first(tensor, of: count).floats
          isHalf = isHalf || tensor.type != .float && tensor.type != .double
        }
      })
    let outputs = values.compactMap { value in
      if case .tensor(let tensor) = value { Self.first(tensor, of: count) } else { nil }
    }
    return (found, outputs, isHalf)
  }

  /// The first picture's part of a value; the whole value where it is of no picture.
  private static func first(_ tensor: ONNX.Tensor, of count: Int) -> (shape: [Int], floats: [Float]) {
    let (shape, floats) = (tensor.shape, tensor.floats())
    guard count > 1, shape.first == count else { return (shape, floats) }
    return ([1] + shape.dropFirst(), Array(floats.prefix(floats.count / count)))
  }

  private struct Map {
    let shape: MapShape
    let elements: [Float]

    var channelsFirst: [Float] {
      (0..<shape.channels).flatMap { channel in
        (0..<shape.pixels).map { elements[$0 * shape.channels + channel] }
      }
    }
  }

  /// Layers of these names and raw outputs, as the engine computes them, channels last.
  private func values(
    of session: Session, _ input: GraphInput, _ noise: [Float], wanted: NameTable<[Float]>
  ) -> (layers: NameTable<Map>, outputs: [String: [Float]]) {
    var layers = NameTable<Map>()
    var outputs: [String: [Float]] = [:]
    let traced = session.plan.tracedLayers.filter { wanted[$0.name] != nil || $0.output != nil }
    session.stepwise { inputs in
      inputs.fill(input) { elements in for index in elements.indices { elements[index] = noise[index] } }
    } body: { run in
      while let step = run.advance() {
        for layer in traced where layer.step == step {
          let elements = run.withElements(of: layer) { elements, stride in
            (0..<layer.shape.pixels).flatMap { pixel in
              (0..<layer.shape.channels).map { elements[pixel * stride + $0] }
            }
          }
          // Of joined layers the result is that of the last, and no module's before it.
          layers[layer.name] = Map(shape: layer.shape, elements: elements)
          if let output = layer.output { outputs[output] = elements }
        }
      }
    }
    return (layers, outputs)
  }

  /// A tensor whose boxes are by their corners, with center and sides in their place; nil of one without boxes.
  private static func centered(_ tensor: DecodedTensor) -> [Float]? {
    guard tensor.shape.count == 2, tensor.parts.first?.rows == [0, 1, 2, 3] else { return nil }
    let count = tensor.shape[1]
    var elements = tensor.elements
    for index in 0..<count {
      let corners = (0..<4).map { tensor.elements[$0 * count + index] }
      elements[index] = (corners[0] + corners[2]) / 2
      elements[count + index] = (corners[1] + corners[3]) / 2
      elements[2 * count + index] = corners[2] - corners[0]
      elements[3 * count + index] = corners[3] - corners[1]
    }
    return elements
  }

  // MARK: - Differences

  private func agree(_ ours: [Float], _ theirs: [Float], _ module: String, _ limit: Float) throws {
    let scale = theirs.reduce(0) { max($0, abs($1)) }
    let differences = zip(ours, theirs).map { abs($0 - $1) }
    let worst = differences.max() ?? 0
    guard differences.allSatisfy(\.isFinite), worst <= limit * max(scale, .leastNormalMagnitude) else {
      let share = (worst / max(scale, .leastNormalMagnitude) * 100).rounded()
      throw difference(module, "on the same input they differ by \(share) % of the largest value")
    }
  }

  private func difference(_ module: String, _ reason: String) -> CheckpointErrorAt {
    CheckpointErrorAt(.otherModule(module, reason: reason))
  }
}
