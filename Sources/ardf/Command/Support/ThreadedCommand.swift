import ArgumentParser

/// A command whose work its option `--threads` divides: all of it, not the networks' alone.
protocol ThreadedCommand: ParsableCommand {
  /// The value of `--threads`; nil where it was not given.
  var givenThreads: Int? { get }
}

extension Run: ThreadedCommand { var givenThreads: Int? { compute.threads } }
extension Detect: ThreadedCommand { var givenThreads: Int? { compute.threads } }
extension Depth: ThreadedCommand { var givenThreads: Int? { compute.threads } }
extension Replay: ThreadedCommand { var givenThreads: Int? { compute.threads } }
extension Serve: ThreadedCommand { var givenThreads: Int? { compute.threads } }
extension Infer: ThreadedCommand { var givenThreads: Int? { compute.threads } }
extension Verify: ThreadedCommand { var givenThreads: Int? { inspected.compute.threads } }
extension Trace: ThreadedCommand { var givenThreads: Int? { inspected.compute.threads } }
extension Evaluate: ThreadedCommand { var givenThreads: Int? { precisions.threads } }
extension Quantize: ThreadedCommand { var givenThreads: Int? { threads } }
extension Profile: ThreadedCommand { var givenThreads: Int? { threads } }
extension Tune: ThreadedCommand { var givenThreads: Int? { threads } }
extension Soak: ThreadedCommand { var givenThreads: Int? { compute.threads } }

/// The threads of a command.
package enum CommandThreads {
  /// The threads that a command may keep busy.
  static func of(_ command: any ParsableCommand) -> Int {
    (command as? any ThreadedCommand)?.givenThreads ?? ProcessorShare.threads
  }

  /// The threads that a command line's command may keep busy.
  ///
  /// - Parameter words: All after the program's name.
  /// - Returns: The number of threads.
  /// - Throws: The parser's errors.
  package static func of(words: [String]) throws -> Int { of(try ARDF.parseAsRoot(words)) }
}
