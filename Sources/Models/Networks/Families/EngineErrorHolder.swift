import NNRuntime

/// An error of a network that holds the errors of the engine which runs it.
protocol EngineErrorHolder: Error {
  static func weights(_ error: WeightError) -> Self
  static func plan(_ error: PlanError) -> Self
  static func port(_ error: PortError) -> Self
}

extension EngineErrorHolder {
  /// Reason why a session could not be made.
  init(_ error: SessionError) {
    switch error {
    case .plan(let error): self = .plan(error)
    case .weights(let error): self = .weights(error)
    }
  }

  /// Does what may find fault with weights.
  static func of<Result>(weights body: () throws(WeightError) -> Result) throws(Self) -> Result {
    do throws(WeightError) { return try body() } catch { throw .weights(error) }
  }

  /// Asks for inputs and outputs.
  static func of<Result>(ports body: () throws(PortError) -> Result) throws(Self) -> Result {
    do throws(PortError) { return try body() } catch { throw .port(error) }
  }
}
