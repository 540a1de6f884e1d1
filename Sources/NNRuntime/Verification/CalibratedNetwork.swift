import NNRuntime

/// A network with the pictures that its errors are measured on.
package struct CalibratedNetwork {
  package let name: String
  /// One for each size of input.
  package let sessions: [Session]
  package let pictures: [OutputReference.Picture]

  /// A network, each of whose pictures is for one of its sessions.
  package init(name: String, sessions: [Session], pictures: [OutputReference.Picture]) {
    (self.name, self.sessions, self.pictures) = (name, sessions, pictures)
  }

  /// Its outputs in single precision.
  ///
  /// - Throws: `PlanError`, and what preparing pictures throws.
  package func exact() throws -> OutputReference {
    let plan = MixedPrecision(network: name, precision: .fp32)
    return try OutputReference(sessions.map { try $0.replanned(plan) }, pictures)
  }
}

/// Reports how many steps of some work are done, of how many.
package typealias StepObserver = (_ done: Int, _ total: Int) -> Void
