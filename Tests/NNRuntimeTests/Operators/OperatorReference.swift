import NNRuntime
import Testing

/// An operator on one map, against a definition in double precision.
enum OperatorReference {
  /// A map in double precision; beyond it are zeros.
  struct Map {
    let shape: MapShape
    var values: [Double]

    init(_ shape: MapShape, _ values: [Double]? = nil) {
      self.shape = shape
      self.values = values ?? [Double](repeating: 0, count: shape.count)
    }

    func isInside(_ y: Int, _ x: Int) -> Bool {
      y >= 0 && x >= 0 && y < shape.height && x < shape.width
    }

    subscript(y: Int, x: Int, channel: Int) -> Double {
      get { isInside(y, x) ? values[(y * shape.width + x) * shape.channels + channel] : 0 }
      set { if isInside(y, x) { values[(y * shape.width + x) * shape.channels + channel] = newValue } }
    }
  }

  /// Tolerance of plain kernels, which sum up in double precision; and of fast ones, Winograd's among them.
  static let plain = 2e-7
  static let fast = 3e-5

  /// Expects what `body` makes of a map to be what `definition` says, within `tolerance`: with all kernels,
  /// any number of threads, and in a plan of bf16.
  static func check(
    _ shape: MapShape, tolerance: Double = plain, _ body: (Value) -> Value, _ definition: (Map) -> Map,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let builder = GraphBuilder(name: "operator")
    let x = builder.input("x", height: shape.height, width: shape.width, channels: shape.channels)
    let y = body(x)
    let graph = builder.finished(outputs: [("y", y)])
    let expected = definition(Map(shape, SeededInput.uniform(count: shape.count).map(Double.init)))
    #expect(y.shape == expected.shape, sourceLocation: sourceLocation)
    var plans = InstructionSet.available.map { set in
      var options = PlanOptions()
      options.instructionSet = set
      return options
    }
    if (try? openBLASCatalogue()) != nil { plans.append(PlanOptions(backend: .openBLAS)) }
    if InstructionSet.available.contains(where: \.hasReducedPrecision) {
      plans.append(PlanOptions(precision: .bf16))
    }
    for options in plans {
      for threads in [1, 3] {
        let found = try JoinedNetwork.run(graph, options, threads: threads)
        let isNear = zip(found, expected.values).allSatisfy {
          abs(Double($0) - $1) <= tolerance * max(1, abs($1))
        }
        #expect(
          isNear && found.count == expected.values.count, "\(options) with \(threads) threads",
          sourceLocation: sourceLocation)
      }
    }
  }
}
