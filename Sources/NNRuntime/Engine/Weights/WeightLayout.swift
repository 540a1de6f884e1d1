import Synchronization

/// The names and shapes of all tensors in a checkpoint of a network, and what its modules are, as the network itself
/// asks for them.
package struct WeightLayout: Sendable, Equatable {
  /// The shapes by full names.
  package fileprivate(set) var shapes: [String: [Int]] = [:]
  /// Names of tensors that some checkpoints lack.
  package fileprivate(set) var optional: Set<String> = []
  /// The required properties of its modules, by their full names.
  package fileprivate(set) var modules: [String: ModuleStatement] = [:]

  fileprivate init() {}

  /// The layout that a network asks for, recorded by binding it to an empty store that gives an empty tensor for each
  /// name.
  ///
  /// - Precondition: `bind` asks by shape for whatever it needs, and does not read it.
  package init(binding bind: (WeightStore) throws -> Void) {
    let recorder = WeightRecorder()
    do {
      try bind(WeightStore(recorder: recorder))
    } catch {
      preconditionFailure("a network needs more than names and shapes: \(error)")
    }
    self = recorder.layout
  }
}

/// Keeps a record of what is asked for.
final class WeightRecorder: Sendable {
  private let recorded = Mutex(WeightLayout())

  var layout: WeightLayout { recorded.withLock { $0 } }

  func record(_ name: String, _ shape: [Int], isOptional: Bool = false) {
    recorded.withLock { layout in
      layout.shapes[name] = shape
      if isOptional { layout.optional.insert(name) }
    }
  }

  func record(_ module: ModuleStatement, at name: String) {
    recorded.withLock { $0.modules[name] = $0.modules[name]?.adding(module) ?? module }
  }
}
