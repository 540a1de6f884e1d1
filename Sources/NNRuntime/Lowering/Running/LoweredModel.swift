import FileFormats
import NNRuntime
import ONNX
import Synchronization

/// A model that is lowered and planned once for every shape of its inputs.
package final class LoweredModel: Sendable {
  /// Plans that are kept at once.
  private static let mostPlans = 8

  package let model: ONNXModel
  private let options: PlanOptions
  private let pool: ThreadPool
  private let planned = Mutex<[(kinds: [InputKind?], network: LoweredNetwork)]>([])

  /// A model to be run with these options.
  package init(
    _ model: ONNXModel, options: PlanOptions = PlanOptions(), pool: ThreadPool = ThreadPool()
  ) {
    self.model = model
    self.options = options
    self.pool = pool
  }

  /// The same model run by another pool, with plans of its own.
  package func running(on pool: ThreadPool) -> LoweredModel {
    LoweredModel(model, options: options, pool: pool)
  }

  /// Runs it on values by the names of its inputs.
  package func run(_ values: NameTable<ONNX.Value>) throws -> [ONNX.Value] {
    try model.check(values)
    return try network(for: values).run(values)
  }

  /// The network for inputs of the shapes that `values` have.
  package func network(for values: NameTable<ONNX.Value>) throws -> LoweredNetwork {
    var kinds = NameTable<InputKind>()
    for name in values.keys { kinds[name] = values[name].map(InputKind.init) }
    let key = model.program.inputs.map { kinds[$0.name] }
    return try planned.withLock { known in
      if let found = known.first(where: { $0.kinds == key }) { return found.network }
      let network = try LoweredNetwork(model, inputs: kinds, options: options, pool: pool)
      if known.count == Self.mostPlans { known.removeFirst() }
      known.append((key, network))
      return network
    }
  }
}
