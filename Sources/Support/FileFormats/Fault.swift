/// Kind of fault of an error: a command's exit code goes by it.
package enum Fault: Sendable, Hashable, CaseIterable {
  /// An input is absent, or may not be read.
  case missingInput
  /// An input is damaged, or of another kind than what is asked of it.
  case malformedInput
  /// The request cannot be fulfilled with this input or on this machine; another can.
  case usage
  /// A needed feature is not implemented, or a server refuses the request.
  case unavailable
  /// The machine has not what the work needs.
  case noResources
  /// An output or a listening address cannot be made.
  case cannotCreate
  /// The system failed in reading or writing.
  case inputOutput
  /// A defect of this program.
  case bug
}

/// An error that says, beside its text, what kind of fault it is.
package protocol ClassifiedError: Error {
  /// The kind of fault.
  var fault: Fault { get }
}

/// The fault of an error of any type; nil for one that does not say.
package func fault(of error: any Error) -> Fault? { (error as? any ClassifiedError)?.fault }
