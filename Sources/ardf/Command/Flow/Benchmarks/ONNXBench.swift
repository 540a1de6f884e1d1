import FileFormats
import NNRuntime
import ONNX
import ONNXEngine

/// `ardf bench` of ONNX files: whole runs on drawn inputs.
struct ONNXBench {
  let file: String
  let options: PlanOptions
  /// Sizes of free axes by their names.
  let sizes: NameTable<Int>
  let runs, warmUp: Int
  /// The least of all counted runs together.
  let seconds: Double

  /// Times runs on a number of threads.
  func measured(threads: Int) throws -> BenchResult {
    MeasurementEnvironment.resetPeak()
    let begin = monotonicNanoseconds()
    let model = try InFile.naming(file) { try ONNXModel(path: file) }
    let inputs = try model.drawnInputs(sizes)
    return try InFile.naming(file) {
      let network = LoweredModel(model, options: options, pool: ThreadPool(threads: threads))
      try model.check(inputs)
      _ = try network.network(for: inputs)
      let ready = monotonicNanoseconds()
      _ = try network.run(inputs)
      let firstOutput = monotonicNanoseconds()
      let times = try times(network, inputs)
      return BenchResult(
        network: lastComponent(file), stage: nil, kernels: try InstructionSet.selected().rawValue,
        input: inputs.keys.map { Self.shape(inputs[$0]) }.joined(separator: " "), threads: threads,
        streams: 1,
        times: times, perSecond: 1000 * Double(times.count) / times.reduce(0, +),
        start: .init(
          preparation: milliseconds(begin..<ready), firstRun: milliseconds(ready..<firstOutput),
          firstOutput: firstOutput),
        peakBytes: MeasurementEnvironment.peakBytes)
    }
  }

  private static func shape(_ value: ONNX.Value?) -> String {
    guard case .tensor(let tensor)? = value else { return "" }
    return tensor.shape.isEmpty ? "scalar" : tensor.shape.map(String.init).joined(separator: "x")
  }

  /// Milliseconds of every run that counts.
  private func times(_ network: LoweredModel, _ inputs: NameTable<ONNX.Value>) throws -> [Double] {
    for _ in 0..<warmUp { _ = try network.run(inputs) }
    var times: [Double] = []
    let start = monotonicNanoseconds()
    var now = start
    while times.count < runs || Double(now - start) < seconds * 1e9 {
      let begin = now
      _ = try network.run(inputs)
      now = monotonicNanoseconds()
      times.append(milliseconds(begin..<now))
    }
    return times
  }
}
