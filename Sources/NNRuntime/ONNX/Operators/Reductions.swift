#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  /// Many elements of some axes to one.
  ///
  /// Sums are taken in double precision.
  static let reductions: [Operator] = [
    reduction("ReduceSum", Total()), reduction("ReduceProd", Multiplied()),
    reduction("ReduceMax", Greatest()), reduction("ReduceMin", Least()),
    floating("ReduceMean") { sum($0) / Double($0.count) },
    floating("ReduceL1") { sum($0.map(abs)) },
    floating("ReduceL2") { sum($0.map { $0 * $0 }).squareRoot() },
    floating("ReduceSumSquare") { sum($0.map { $0 * $0 }) },
    floating("ReduceLogSum") { log(sum($0)) },
    floating("ReduceLogSumExp") { values in
      guard let greatest = values.max() else { return -.infinity }
      guard greatest.isFinite else { return greatest }
      return greatest + log(sum(values.map { exp($0 - greatest) }))
    },
  ]

  private static func sum(_ values: [Double]) -> Double { values.reduce(0, +) }

  private static func reduction(_ name: String, _ body: some NumberReduction & Sendable) -> Operator {
    Operator(name, ["axes", "keepdims", "noop_with_empty_axes"], inputs: 1...2) { call in
      let tensor = try call.tensor(0)
      guard let plan = try Reduction(call, tensor) else { return tensor }
      func made<T: Number>(_: T.Type) throws -> Tensor {
        Tensor(
          plan.result, try plan.groups(of: plan.ordered.array(of: T.self)).map { try body.apply($0) },
          type: tensor.type)
      }
      if tensor.type == .bool {
        let wide = Tensor(tensor.shape, tensor.array(of: Bool.self).map { UInt8($0 ? 1 : 0) })
        let values = try Reduction(call, wide)!.ordered.array(of: UInt8.self)
        return Tensor(plan.result, try plan.groups(of: values).map { try body.apply($0) != 0 })
      }
      if tensor.type == .float { return try made(Float.self) }
      guard let number = tensor.type.number else { throw unsupported(tensor.type) }
      return try made(number)
    }
  }

  private static func floating(_ name: String, _ body: @escaping @Sendable ([Double]) -> Double) -> Operator {
    Operator(name, ["axes", "keepdims", "noop_with_empty_axes"], inputs: 1...2) { call in
      let tensor = try call.tensor(0)
      guard tensor.type.number != nil else { throw unsupported(tensor.type) }
      guard let plan = try Reduction(call, tensor) else {
        // Without axes to reduce, the function of each element alone remains.
        return name == "ReduceMean"
          ? tensor : Tensor(tensor.type, tensor.shape, doubles: tensor.doubles().map { body([$0]) })
      }
      return Tensor(
        tensor.type, plan.result, doubles: plan.groups(of: plan.ordered.doubles()).map { body(Array($0)) })
    }
  }

  private struct Total: NumberReduction {
    func apply<T: Number>(_ values: ArraySlice<T>) throws -> T {
      T.isFloat ? T(truncating: values.reduce(0) { $0 + $1.double }) : values.reduce(T.blank, T.add)
    }
  }
  private struct Multiplied: NumberReduction {
    func apply<T: Number>(_ values: ArraySlice<T>) throws -> T { values.reduce(T(wrapping: 1), T.multiply) }
  }
  private struct Greatest: NumberReduction {
    func apply<T: Number>(_ values: ArraySlice<T>) throws -> T { values.reduce(T.lowest, T.greater) }
  }
  private struct Least: NumberReduction {
    func apply<T: Number>(_ values: ArraySlice<T>) throws -> T { values.reduce(T.highest, T.lesser) }
  }
}

/// A function of several numbers of any type.
protocol NumberReduction {
  func apply<T: Number>(_ values: ArraySlice<T>) throws -> T
}

/// A reduction over some axes of an input.
struct Reduction {
  /// The input with the reduced axes last.
  let ordered: Tensor
  let result: [Int]
  private let groupSize: Int
  private let groupCount: Int

  /// nil: nothing is reduced.
  init?(_ call: Call, _ tensor: Tensor) throws {
    let given = try call.integers("axes", orInput: 1) ?? []
    if given.isEmpty, try call.flag("noop_with_empty_axes") { return nil }
    try self.init(tensor, axes: given, keepsAxes: call.flag("keepdims", default: true))
  }

  /// No axes: all of them.
  init(_ tensor: Tensor, axes given: [Int], keepsAxes: Bool) throws {
    let axes = given.isEmpty ? Array(0..<tensor.rank) : try Shape.axes(given, rank: tensor.rank).sorted()
    let others = tensor.shape.indices.filter { !axes.contains($0) }
    ordered = tensor.transposed(others + axes)
    groupSize = axes.map { tensor.shape[$0] }.reduce(1, *)
    groupCount = others.map { tensor.shape[$0] }.reduce(1, *)
    result =
      keepsAxes
      ? tensor.shape.enumerated().map { axes.contains($0.offset) ? 1 : $0.element }
      : others.map { tensor.shape[$0] }
  }

  func groups<T>(of values: [T]) -> [ArraySlice<T>] {
    (0..<groupCount).map { values[$0 * groupSize..<($0 + 1) * groupSize] }
  }
}
