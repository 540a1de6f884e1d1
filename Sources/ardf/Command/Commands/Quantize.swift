import ArgumentParser
import FileFormats
import Imaging
import Models
import NNRuntime
import NNVerification
import OutputFolders

/// `ardf quantize`: weights of 8 bits.
struct Quantize: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a weight file of 8-bit weights, and finds which layers tolerate products of 8 bits.",
    discussion: Help.text(
      """
      Weights become integers from -127 to 127 with a scale for each output channel, a half to a quarter of the file. Any \
      precision computes with them, --precision fp32 included. Tensors stay as they are where rounding them would move the \
      outputs beyond --max-error. Activations need no calibrated ranges, as each pixel finds its own. The file also says \
      which layers are not for --precision int8, and every command follows that. Errors are measured on the pictures of \
      --calibrate: give what the network will see, and evaluate on others (ardf evaluate).
      """,
      (
        "From pictures like those to come",
        "ardf quantize weights/yolo11n-seg.safetensors --calibrate pictures \\\n--out yolo11n-seg-w8.safetensors"
      ),
      (nil, "ardf detect photo.jpg --yolo yolo11n-seg-w8.safetensors --precision int8 \\\n--out found"),
      ("What stayed as it was, and why", "ardf inspect weights yolo11n-seg-w8.safetensors")))

  @Argument(help: "The weights: a file, a checkpoint (.pt, .pth), or a name such as yolo11n-seg.")
  var weights: String

  @OptionGroup(title: "Calibration") var calibration: CalibrationOptions

  @Option(
    help: ArgumentHelp(
      "Allowed error of the outputs against the original weights in fp32 (relative L2): half for "
        + "rounded weights, the rest for 8-bit products.", valueName: "share"))
  var maxError = 0.04

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The weight file to write.", valueName: "file.safetensors"))
  var out: String

  @Flag(help: "Replace an existing --out, if ardf wrote it.")
  var force = false

  @Option(
    name: .shortAndLong,
    help: "Threads; the results are the same for any number. By default one per processor."
  )
  var threads: Int?

  @Flag(help: "Print what was written as JSON.")
  var json = false

  @OptionGroup(title: "Output") var quiet: QuietOption

  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws {
    guard out.hasSuffix(".safetensors") else {
      throw ValidationError("\(out): the output's name must end in .safetensors")
    }
    guard !calibration.calibrate.isEmpty else {
      throw ValidationError("give pictures of what the network will see: --calibrate PICTURES")
    }
    guard maxError > 0, maxError < 1 else {
      throw ValidationError("--max-error \(maxError): give a share between 0 and 1, for example 0.04")
    }
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads \(threads): give a number from 1 to 1024")
    }
  }

  func run() throws {
    let weights = try WeightFiles.network(weights)
    let file = try OutputFile(out, force: force, inputs: weights.inputs + calibration.calibrate)
    let store = try WeightStore(weights, allowNonFinite: false)
    guard store.metadata[QuantizedWeights.provenanceKey] == nil else {
      throw CommandError.input("\(weights): has 8-bit weights already: give the file that it was made from")
    }
    let images = try calibration.images(limits.capture)
    let compute = ComputeSettings(threads: threads)
    let rounded = try InFile.naming(weights.name) {
      let pool = compute.makePool()
      let quantization = WeightQuantization(store) { store in
        try CalibratedNetwork(
          InspectedNetwork(weights: store, options: PlanOptions(), pool: pool), images, size: nil)
      }
      return try Progress.showing("tensor") { try quantization.run(maxError: maxError / 2, onTensor: $0) }
    }
    let plan = try plan(rounded, store, images, compute)
    let result = QuantizedFile(
      rounded: rounded, plan: plan, metadata: store.metadata, pictures: images.count, maxError: maxError)
    try file.writing { path, overwrite in
      try SafetensorsWriter.write(
        result.tensors, metadata: result.metadata, to: path, overwrite: overwrite)
    }
    try json ? Console.print(result.document(out)) : Console.inform(lines: "\(out): \(result.summary)")
  }

  /// The layers that stay out of products of 8 bits; nil where this processor has none.
  private func plan(
    _ rounded: WeightQuantization.RoundedWeights, _ store: WeightStore, _ images: [RGBImage],
    _ compute: ComputeSettings
  ) throws -> (plan: MixedPrecision, error: Double, kernels: String)? {
    guard rounded.precisions.contains(.int8) else {
      Console.note("this processor multiplies no 8-bit integers: no plan of int8 goes into the file")
      return nil
    }
    let network = try CalibratedNetwork(
      InspectedNetwork(
        weights: rounded.store(like: store), options: PlanOptions(precision: .int8),
        pool: compute.makePool()),
      images, size: nil)
    do {
      let run = SensitivityRun(
        calibrated: network, exact: rounded.exact, maxError: maxError, score: nil, isTimed: false)
      let found = try Progress.showing("layer") { try run.run(onLayer: $0) }
      return found.chosen.map { ($0.plan, $0.point.error, network.sessions[0].plan.kernelName) }
    } catch let error as SensitivityError {
      guard case .outOfReach = error else { throw error }
      Console.note("--max-error \(maxError): \(error): no plan of int8 goes into the file")
      return nil
    }
  }
}
