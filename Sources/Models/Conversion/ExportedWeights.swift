import FileFormats
import NNRuntime
import ONNX

/// The weights in an ONNX file under the names of the checkpoint that it was exported from, and what it says of itself.
///
/// Exporters fold what they can: normalizations into convolutions, whose place normalizations that change nothing take
/// here; transposed matrices lose their names, which the biases beside them and the names of nodes still tell.
struct ExportedWeights {
  /// Epsilon of the normalizations that stand for folded ones.
  static let epsilon = 1e-3

  private(set) var tensors: [String: CheckpointTensor] = [:]
  private(set) var metadata = NameTable<String>()
  /// Whether normalizations stand for folded ones.
  private(set) var hasFolded = false
  /// Whether the one of two heads is there whose boxes are to be suppressed.
  private(set) var isSuppressed = false

  /// Modules of convolutions and products, by the names of the values that they make.
  private(set) var layers = NameTable<String>()

  private let graph: GraphMessage
  private let files: ExternalData
  private var initializers = NameTable<TensorMessage>()

  /// Whether a file is to be read as ONNX: no other format of weights begins with the number of a version.
  static func isONNX(_ bytes: FileBytes, file: String) -> Bool {
    hasEnding(file, ".onnx") || bytes.slice(0..<min(1, bytes.count)).array() == [0x08]
  }

  /// - `file`: its path, beside which external data lie.
  init(_ bytes: FileBytes, file: String) throws(CheckpointErrorAt) {
    do {
      let message = try ModelMessage(bytes)
      guard let graph = message.graph else { throw ONNXError.malformed("there is no graph") }
      self.graph = graph
      files = ExternalData(besideModel: file)
      metadata = NameTable(message.metadata.map { ($0.key, $0.value) })
      for tensor in graph.initializers { initializers[tensor.name] = tensor }
      // Of equal tensors one is there, and the others are what a node makes of it.
      for node in graph.nodes where node.type == "Identity" {
        guard let source = node.inputs.first, let made = node.outputs.first else { continue }
        initializers[made] = initializers[source]
      }
      try takeNamed()
      try takeByNode()
      try takeEmbeddings()
    } catch {
      throw CheckpointErrorAt(.export(error as? ONNXError ?? .malformed("\(error)")))
    }
    addUnused()
    unfold()
    addTwins()
  }

  /// Initializers that have kept their names: those of a module's parameter.
  private mutating func takeNamed() throws {
    for message in graph.initializers where message.name.contains(".") && !message.name.hasPrefix("/") {
      if let tensor = try read(message.name) { tensors[message.name] = CheckpointTensor(tensor) }
    }
  }

  /// Initializers that have lost theirs, or share one with an equal tensor.
  private mutating func takeByNode() throws {
    var readers = NameTable<NodeMessage>()
    for node in graph.nodes { for name in node.inputs { readers[name] = node } }
    let wrapper = wrapper
    for node in graph.nodes {
      let path = Self.module(node.name).map { wrapper + $0 }
      switch node.type {
      case "Conv", "ConvTranspose", "LayerNormalization":
        keepLayer(node, path)
        try take(node.inputs.dropFirst().first, path.map { "\($0).weight" })
        try take(node.inputs.dropFirst(2).first, path.map { "\($0).bias" })
      case "Gemm":
        let isTransposed = node.attributes.contains { attribute in
          if attribute.name == "transB", case .int(1)? = attribute.value { true } else { false }
        }
        keepLayer(node, path)
        try take(node.inputs.dropFirst().first, path.map { "\($0).weight" }, transposing: !isTransposed)
        try take(node.inputs.dropFirst(2).first, path.map { "\($0).bias" })
      case "MatMul":
        // The bias is added to the product, and its name is the module's.
        let addition = node.outputs.first.flatMap { readers[$0] }.flatMap { $0.type == "Add" ? $0 : nil }
        let bias = addition?.inputs.first { initializers[$0] != nil }
        let own = bias.flatMap { $0.hasSuffix(".bias") ? String($0.dropLast(".bias".count)) : nil }
        try take(node.inputs.last, (path ?? own).map { "\($0).weight" }, transposing: true)
        if let own, own != path { try take(node.inputs.last, "\(own).weight", transposing: true) }
        try take(bias, path.map { "\($0).bias" })
      case "Mul":
        guard let path, path.hasSuffix("layer_scale1") || path.hasSuffix("layer_scale2") else { continue }
        try take(node.inputs.first { initializers[$0] != nil }, "\(path).lambda1")
      default: continue
      }
    }
  }

  /// By the name of its weight, where that is a parameter's, else by its own.
  private mutating func keepLayer(_ node: NodeMessage, _ path: String?) {
    guard let made = node.outputs.first, node.inputs.count > 1 else { return }
    let weight = node.inputs[1]
    let named = weight.hasSuffix(".weight") && weight.contains(".") && !weight.hasPrefix("/")
    layers[made] = named ? String(weight.dropLast(".weight".count)) : path
  }

  /// Prefix of tensors' names before the modules' names in names of nodes.
  private var wrapper: String {
    for node in graph.nodes where node.type == "Conv" {
      guard let path = Self.module(node.name), node.inputs.count > 1,
        node.inputs[1].hasSuffix(path + ".weight")
      else { continue }
      return String(node.inputs[1].dropLast(path.count + ".weight".count))
    }
    return ""
  }

  private mutating func take(_ input: String?, _ name: String?, transposing: Bool = false) throws {
    guard let input, let name, tensors[name] == nil, let tensor = try read(input) else { return }
    tensors[name] = CheckpointTensor(
      transposing && tensor.shape.count == 2 ? tensor.transposedMatrix : tensor)
  }

  /// Names of a depth encoder's embeddings after one root.
  private struct EmbeddingNames {
    let patches, token, positions: String

    /// Those of transformers, and those of the original.
    static let all = [
      EmbeddingNames(
        patches: "embeddings.patch_embeddings.projection.weight", token: "embeddings.cls_token",
        positions: "embeddings.position_embeddings"),
      EmbeddingNames(patches: "patch_embed.proj.weight", token: "cls_token", positions: "pos_embed"),
    ]
  }

  /// The class token and the positions, which exporters fold with what is computed of them alone.
  private mutating func takeEmbeddings() throws {
    for names in EmbeddingNames.all {
      guard let patches = tensors.first(where: { $0.key.hasSuffix(names.patches) }),
        patches.value.shape.count == 4
      else { continue }
      let (root, shape) = (patches.key.dropLast(names.patches.count), patches.value.shape)
      let joined = tokens(ofPatches: shape)
      try takeToken("\(root)\(names.token)", joined, width: shape[0])
      try takePositions("\(root)\(names.positions)", joined, width: shape[0])
    }
  }

  /// The node that joins the class token and what the convolution of patches makes.
  ///
  /// - `shape`: of the convolution's weight.
  private func tokens(ofPatches shape: [Int]) -> NodeMessage? {
    var makers = NameTable<NodeMessage>()
    for node in graph.nodes { for name in node.outputs { makers[name] = node } }
    return graph.nodes.first { node in
      guard node.type == "Concat", node.inputs.count == 2 else { return false }
      var value = node.inputs[1]
      // Reshaped and transposed; perhaps cast.
      for _ in 0..<8 {
        guard let maker = makers[value], let first = maker.inputs.first else { return false }
        if maker.type == "Conv", maker.inputs.count > 1 {
          return initializers[maker.inputs[1]]?.shape == shape.map(Int64.init)
        }
        value = first
      }
      return false
    }
  }

  /// The class token, of which the exporter has made one for each picture.
  private mutating func takeToken(_ name: String, _ joined: NodeMessage?, width: Int) throws {
    guard tensors[name] == nil, let constant = joined?.inputs.first,
      let shape = initializers[constant]?.shape, shape.count == 3, shape[0] >= 1,
      shape[1...] == [1, Int64(width)], let token = try read(constant)
    else { return }
    tensors[name] = CheckpointTensor(
      NNRuntime.Tensor(shape: [1, 1, width], floats: Array(token.floats().prefix(width))))
  }

  /// Positions that are added under another name, or that were cut into that of the class and those of patches: the one
  /// is joined with what is made of the others.
  private mutating func takePositions(_ name: String, _ joined: NodeMessage?, width: Int) throws {
    guard tensors[name] == nil else { return }
    func shape(_ input: String) -> [Int64]? { initializers[input]?.shape }
    func isOfTokens(_ shape: [Int64]?) -> Bool {
      shape?.count == 3 && shape?[0] == 1 && shape?[2] == Int64(width)
    }
    let made = joined?.outputs.first
    let sum = graph.nodes.first { $0.type == "Add" && made.map($0.inputs.contains) == true }
    if let whole = sum?.inputs.first(where: { isOfTokens(shape($0)) }), let positions = try read(whole) {
      tensors[name] = CheckpointTensor(positions)
      return
    }
    let first = graph.nodes.first { node in
      node.type == "Concat" && node.inputs.first.flatMap(shape) == [1, 1, Int64(width)]
        && node.outputs.first != made
    }
    let rest = graph.nodes.first { $0.type == "Reshape" && isOfTokens($0.inputs.first.flatMap(shape)) }
    guard let one = try first?.inputs.first.flatMap(read), let others = try rest?.inputs.first.flatMap(read)
    else { return }
    guard others.shape[1] < 1 << 20 else { return }
    tensors[name] = CheckpointTensor(
      NNRuntime.Tensor(
        shape: [1, 1 + others.shape[1], width], floats: one.floats() + others.floats()))
  }

  /// The unit that the coarsest fusion of a depth network has and does not use: no export has its weights.
  private mutating func addUnused() {
    for (name, tensor) in tensors where name.contains("fusion_stage.layers.0.residual_layer2.") {
      let unused = name.replacing("residual_layer2", with: "residual_layer1")
      guard tensors[unused] == nil else { continue }
      let count = tensor.shape.reduce(1, *)
      tensors[unused] = CheckpointTensor(
        NNRuntime.Tensor(shape: tensor.shape, floats: [Float](repeating: 0, count: count)))
    }
  }

  /// A normalization that changes nothing, for each one that was folded into its convolution.
  private mutating func unfold() {
    for name in Array(tensors.keys) where name.hasSuffix(".conv.bias") {
      let module = String(name.dropLast("conv.bias".count))
      guard tensors["\(module)bn.weight"] == nil, let bias = tensors[name], bias.shape.count == 1 else {
        continue
      }
      let count = bias.shape[0]
      func constant(_ value: Float) -> CheckpointTensor {
        CheckpointTensor(
          NNRuntime.Tensor(shape: [count], floats: [Float](repeating: value, count: count)))
      }
      tensors[name] = nil
      tensors["\(module)bn.bias"] = bias
      tensors["\(module)bn.weight"] = constant(1)
      tensors["\(module)bn.running_mean"] = constant(0)
      tensors["\(module)bn.running_var"] = constant(1 - Float(Self.epsilon))
      hasFolded = true
    }
  }

  /// YOLO26's usual export has the head whose boxes are suppressed alone: its weights stand for those of both.
  private mutating func addTwins() {
    guard metadata["head"]?.hasSuffix("26") == true || metadata["description"]?.contains("YOLO26") == true,
      metadata["task"] != "classify", !tensors.keys.contains(where: { $0.contains(".one2one_") })
    else { return }
    for (name, tensor) in tensors {
      guard let place = name.firstRange(of: ".cv"),
        let last = name[..<place.lowerBound].split(separator: ".").last, Self.layer(last) == headIndex
      else { continue }
      tensors[name.replacingCharacters(at: place, with: ".one2one_cv")] = tensor
      isSuppressed = true
    }
  }

  /// The number of the last layer.
  private var headIndex: Int? {
    tensors.keys.compactMap { name in
      name.split(separator: ".").lazy.compactMap(Self.layer).first
    }.max()
  }

  /// The number of a layer, as it stands in names.
  private static func layer(_ part: Substring) -> Int? { integer(of: part, in: 0...100_000) }

  private func read(_ name: String) throws -> NNRuntime.Tensor? {
    guard let message = initializers[name] else { return nil }
    let tensor = try message.tensor(files)
    guard tensor.type.isFloating else { return nil }
    return NNRuntime.Tensor(shape: tensor.shape, floats: tensor.floats())
  }

  /// The module that a node is of, by a name such as `/model.0/conv/Conv`; nil of a node without one.
  private static func module(_ name: String) -> String? {
    guard name.hasPrefix("/") else { return nil }
    var parts: [Substring] = []
    for part in name.split(separator: "/").dropLast() {
      // A module of a list is named with the list's own name before its number: `/cv2.1/cv2.1.2/Conv`.
      if let last = parts.last, part.hasPrefix(last + ".") { parts.removeLast() }
      parts.append(part)
    }
    // A module that is called again has a number at its name's end; the first call tells all.
    guard let last = parts.last else { return nil }
    let end = last.split(separator: "_").last ?? ""
    guard !last.contains("_") || integer(of: end, in: 0...1 << 20) == nil else { return nil }
    return parts.joined(separator: ".")
  }
}

extension NNRuntime.Tensor {
  /// Rows and columns exchanged.
  fileprivate var transposedMatrix: NNRuntime.Tensor {
    let (rows, columns, values) = (shape[0], shape[1], floats())
    var moved = [Float](repeating: 0, count: values.count)
    for row in 0..<rows {
      for column in 0..<columns { moved[column * rows + row] = values[row * columns + column] }
    }
    return NNRuntime.Tensor(shape: [columns, rows], floats: moved)
  }
}

extension String {
  fileprivate func replacingCharacters(at range: Range<String.Index>, with text: String) -> String {
    var result = self
    result.replaceSubrange(range, with: text)
    return result
  }
}
