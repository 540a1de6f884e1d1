import AppCore
import ArgumentParser
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import NNVerification

/// A network by its name or its weights, for looking at its layers.
struct InspectedOptions: ParsableArguments {
  @Option(
    help:
      "The network, such as yolo11n-seg, yolov8s or depth-anything-v2-small; by default what --weights is.")
  var model: String?

  @Option(
    help: ArgumentHelp(
      "Weights: a file, a checkpoint (.pt, .pth), or a name such as yolo11n-seg; by default those of --model.",
      valueName: "file"))
  var weights: String?

  @Flag(name: .customLong("no-fuse"), help: "Run every layer by itself, without fusing any.")
  var noFuse = false

  @OptionGroup(title: "Computation") var compute: ComputeOptions

  /// Commands that run a network require `--model` or `--weights`.
  func checkNetwork() throws {
    guard model != nil || weights != nil else { throw ValidationError("give --model, --weights, or both") }
  }

  /// The network, with the kernels of `backend`, by default those that suit the CPU, in the precision asked for or
  /// in another.
  func network(
    _ backend: Backend, _ instructionSet: InstructionSet? = nil, precision: Precision? = nil, pool: ThreadPool
  ) throws -> InspectedNetwork {
    let file = try file()
    let store = try WeightStore(file, allowNonFinite: compute.allowNonfinite)
    var options = try compute.arithmetic.options(PlanOptions(backend: backend, fuse: !noFuse), for: store)
    if let precision {
      // Of the one network there is at most one plan.
      options.joining = options.mixed.first?.value.precision ?? options.precision
      options.mixed = [:]
      options.precision = precision
    }
    if let instructionSet {
      guard InstructionSet.available.contains(instructionSet) else {
        throw CommandError.usage(
          "this CPU lacks \(instructionSet.rawValue): it has "
            + InstructionSet.available.map(\.rawValue).joined(separator: ", "))
      }
      options.instructionSet = instructionSet
    }
    let network = try InFile.naming(file.name) {
      try InspectedNetwork(weights: store, options: options, pool: pool)
    }
    if let model, !fileExists(model), !PublishedWeights.areSame(model, network.name),
      !Self.isMetric(model, network.name)
    {
      throw CommandError.input("\(file): holds \(network.name), not \(model)")
    }
    try compute.arithmetic.checkPlans(areOf: network.name)
    return network
  }

  /// The weight file.
  func file() throws -> GivenPath {
    guard let named = weights ?? model else { return try WeightFiles.detector(nil) }
    return try WeightFiles.network(named)
  }

  /// Whether a name is one of the two published metric networks, whose names resemble each other.
  private static func isMetric(_ model: String, _ network: String) -> Bool {
    network == "depth-anything-v2-metric-small"
      && PublishedWeights.named(model)?.name.contains("metric") == true
  }
}

/// The input of a network: a picture, recorded tensors or noise.
enum NetworkInput {
  case picture(String)
  case tensors(ReferenceFile)
  /// Uniform noise in [0, 1), the same every time.
  case noise

  /// A file: of tensors if its name says so, else a picture.
  init(path: String) throws {
    let isTensors = path.hasSuffix(".safetensors") || path.hasSuffix(".npz")
    self = isTensors ? .tensors(try ReferenceFile(path: path)) : .picture(path)
  }

  /// The session for the input at `size` (by default its own size), and what fills the session's input.
  func session(
    of network: InspectedNetwork, size: PixelSize?
  ) throws -> (session: Session, prepare: (borrowing SessionInputs) throws -> Void) {
    switch self {
    case .picture(let path):
      let selection = try FrameSelection(path, frames: [])
      guard selection.isSingle else {
        throw CommandError.usage(
          "--input \(path): there are \(counted(selection.indices.count, "picture")) in it; give one of them")
      }
      let frame = try selection.onlyFrame()
      guard let image = frame.image else { throw CommandError.input("\(path): has no picture") }
      let upright = image.oriented(frame.orientation)
      let size = try size ?? network.inputSize(for: upright)
      return (try network.session(for: size), { try network.fill($0, with: upright, size: size) })
    case .tensors(let file):
      guard file.contains("input") else { throw VerificationError.noInput("input") }
      let shape = try file.tensor("input", atMost: 3 * Self.longestSide * Self.longestSide).shape
      guard shape.count >= 2, shape.suffix(2).allSatisfy({ (1...Self.longestSide).contains($0) }) else {
        throw VerificationError.noInput("input")
      }
      let size = PixelSize(width: shape[shape.count - 1], height: shape[shape.count - 2])
      let session = try network.session(for: size, prompt: Self.promptSize(in: file))
      return (session, try file.fillInputs(of: session))
    case .noise:
      let size = size ?? network.standardSize
      let session = try network.session(for: size)
      let ports = session.plan.inputs
      return (session, { inputs in for port in ports { Self.fillWithNoise(inputs, port) } })
    }
  }

  /// The session that runs the input of a reference.
  ///
  /// - Throws: `VerificationError.nothingToCompare` where the input does not fit and no tensor is named like a layer or output.
  static func session(of network: InspectedNetwork, for reference: ReferenceFile) throws -> Session {
    do {
      return try NetworkInput.tensors(reference).session(of: network, size: nil).session
    } catch {
      let plan = try network.session(for: network.standardSize).plan
      let names = plan.tracedLayers.map(\.name) + plan.outputs.map(\.name)
      guard names.contains(where: reference.contains) else {
        throw VerificationError.nothingToCompare
      }
      throw error
    }
  }

  /// The size of the prompt among recorded tensors; the usual one where there is none.
  private static func promptSize(in file: ReferenceFile) throws -> PixelSize {
    guard file.contains("prompt") else { return DepthInput.standardPrompt }
    let shape = try file.tensor("prompt", atMost: longestSide * longestSide).shape
    guard shape.count >= 2, shape.suffix(2).allSatisfy({ (1...longestSide).contains($0) }) else {
      throw VerificationError.noInput("prompt")
    }
    return PixelSize(width: shape[shape.count - 1], height: shape[shape.count - 2])
  }

  /// Longest side of an input, pixels.
  private static let longestSide = ObjectInput.sides.upperBound

  /// Fills an input with uniform noise in [0, 1), the same each time.
  private static func fillWithNoise(_ inputs: borrowing SessionInputs, _ port: GraphInput) {
    inputs.fill(port) { span in
      var numbers = SplitMix64(seed: 0)
      for index in span.indices { span[index] = numbers.unit() }
    }
  }
}
