import FileFormats
import HTTPServing
import InferenceProtocol

/// A model that a server runs for clients.
package protocol ServedModel: Sendable {
  /// The model's description for clients.
  var description: ModelDescription { get }

  /// Computes the outputs for inputs that agree with the description, on the calling thread.
  ///
  /// Calls on one worker run one after the other; calls on different workers run concurrently.
  ///
  /// - Throws: `UnfitInput`, `ProtocolError` for what the client can put right, and anything else for what it cannot.
  func infer(_ call: InferenceCall) throws -> [ProtocolTensor]
}

/// A request as a model computes it.
package struct InferenceCall: Sendable {
  /// The inputs by name: those of the model's description, with its datatypes and shapes.
  package let inputs: NameTable<ProtocolTensor>
  /// The request, for its parameters.
  package let request: InferenceRequest
  /// Which worker computes it, from 0.
  package let worker: Int
  /// The request's share of the server's memory; a model must take from it before it allocates anything large.
  package let memory: MemoryBudget.Reservation
  /// Whether the outputs are still wanted.
  package let isWanted: @Sendable () -> Bool

  /// A call from its parts.
  package init(
    inputs: NameTable<ProtocolTensor>, request: InferenceRequest, worker: Int,
    memory: MemoryBudget.Reservation,
    isWanted: @Sendable @escaping () -> Bool
  ) {
    (self.inputs, self.request, self.worker) = (inputs, request, worker)
    (self.memory, self.isWanted) = (memory, isWanted)
  }

  /// Throws if the outputs are no longer wanted; to be called between stages.
  package func checkWanted() throws { if !isWanted() { throw UnwantedCall() } }
}

/// An input whose elements the model cannot use, such as bytes that are not a picture.
package struct UnfitInput: Error, Sendable, CustomStringConvertible {
  package let description: String

  /// - `message`: the fault and its remedy.
  package init(_ message: String) { description = message }
}

/// The outputs are no longer wanted.
struct UnwantedCall: Error {}

extension UnfitInput: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
