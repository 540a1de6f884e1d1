import FileFormats
import NNRuntime
import ONNX
import ONNXEngine

/// `ardf bench` of ONNX files: whole runs on drawn inputs.
struct ONNXBench {
  let file: String
  let arithmetic: PrecisionOption
  let runs, warmUp: Int
  let seconds: Double

  func run(threads: [Int], json: Bool) throws {
    var table = TextTable(
      ["threads", "median ms", "least ms", "first output ms"], rightAligned: [0, 1, 2, 3])
    var documents: [JSONValue] = []
    for count in threads {
      let begin = monotonicNanoseconds()
      let model = try InFile.naming(file) { try ONNXModel(path: file) }
      let lowered = LoweredModel(
        model, options: try arithmetic.options(), pool: ThreadPool(threads: count))
      let inputs = try model.drawnInputs()
      let (times, first) = try InFile.naming(file) { try measure(lowered, inputs, since: begin) }
      let median = times[times.count / 2]
      table.add(["\(count)", decimal(median, 3), decimal(times[0], 3), decimal(first, 1)])
      documents.append([
        "threads": .integer(count), "median": .number(median), "least": .number(times[0]),
        "firstOutput": .number(first), "runs": .integer(times.count),
      ])
    }
    let document: JSONValue = [
      "schema": "ardf.onnx.bench/1", "file": .string(file), "results": .array(documents),
    ]
    try json ? Console.print(document) : Console.print(table.text)
  }

  /// Milliseconds of every run, in ascending order, and those until the first output was there.
  private func measure(
    _ model: LoweredModel, _ inputs: NameTable<ONNX.Value>, since begin: UInt64
  ) throws -> (times: [Double], first: Double) {
    func now() -> UInt64 { monotonicNanoseconds() }
    _ = try model.run(inputs)
    let first = Double(now() - begin) / 1e6
    for _ in 0..<warmUp { _ = try model.run(inputs) }
    var times: [Double] = []
    let start = now()
    while times.count < runs || Double(now() - start) < seconds * 1e9 {
      let begin = now()
      _ = try model.run(inputs)
      times.append(Double(now() - begin) / 1e6)
    }
    return (times.sorted(), first)
  }
}
