import NNRuntime
import Synchronization

/// Why a session cannot be made.
enum SessionError: Error {
  case plan(PlanError)
  /// The weight file was written to before its weights were packed.
  case weights(WeightError)
}

/// Sessions of one network for the input sizes (`Size`) used last; its packed weights are shared by all of them.
///
/// A session takes a few milliseconds to plan and holds an arena, so that pictures of one size, or of two that
/// alternate (portrait and landscape), should not pay for it again.
final class SessionCache<Size: Hashable & Sendable>: Sendable {
  /// Sessions kept.
  private static var capacity: Int { 2 }

  private let weights: WeightStore
  private let graph: @Sendable (Size) -> Graph
  private let options: PlanOptions
  private let pool: ThreadPool
  private let packed: PackedWeights
  /// The one used last comes last.
  private let recent = Mutex<[(size: Size, session: Session)]>([])

  /// Sessions of `graph`, whose weights come from the store `weights`.
  init(
    weights: WeightStore, options: PlanOptions, pool: ThreadPool, packed: PackedWeights = PackedWeights(),
    graph: @escaping @Sendable (Size) -> Graph
  ) {
    self.weights = weights
    self.options = options
    self.pool = pool
    self.packed = packed
    self.graph = graph
  }

  /// Sessions of the same network, with the same packed weights, run by another pool.
  func sessions(on pool: ThreadPool) -> SessionCache {
    SessionCache(weights: weights, options: options, pool: pool, packed: packed, graph: graph)
  }

  /// The session for an input size.
  ///
  func session(for size: Size) throws(SessionError) -> Session {
    try recent.withLock { recent throws(SessionError) in
      if let index = recent.firstIndex(where: { $0.size == size }) {
        let entry = recent.remove(at: index)
        recent.append(entry)
        return entry.session
      }
      if recent.count == Self.capacity { recent.removeFirst() }
      let session = try made(for: size)
      recent.append((size, session))
      return session
    }
  }

  private func made(for size: Size) throws(SessionError) -> Session {
    let plan: Plan
    do throws(PlanError) { plan = try Plan(graph(size), options: options.planned(by: weights)) } catch {
      throw .plan(error)
    }
    let session = Session(plan, pool: pool, weights: packed)
    do throws(WeightError) { try weights.verifyUnchanged() } catch { throw .weights(error) }
    return session
  }
}
