/// Writes one picture's files while the network runs on the next.
struct WriteBehind {
  private var task: Task<Void, any Error>?

  /// Waits for the previous write, and begins one.
  ///
  /// - Throws: what the write before threw.
  mutating func begin(_ write: @escaping @Sendable () throws -> Void) async throws {
    try await finish()
    task = Task { try write() }
  }

  /// Waits for the last write; after an error too, or its folder would outlive the command.
  ///
  /// - Throws: what it threw.
  mutating func finish() async throws {
    let last = task
    task = nil
    try await last?.value
  }
}
