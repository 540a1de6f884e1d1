import Foundation
import TestSupport
import Testing

/// Limits under which the runtime beneath would wait for ever or end with a signal.
@Suite struct ResourceTests {
  /// `ardf --version` under a shell's limits.
  private func version(under limits: String) throws -> (status: Int32, error: String) {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/bash")
    shell.arguments = ["-c", "\(limits); exec \"$0\" --version", CommandRun.executable]
    shell.environment = ["SWIFT_BACKTRACE": "enable=no"]
    let pipe = Pipe()
    shell.standardError = pipe
    shell.standardOutput = FileHandle.nullDevice
    try shell.run()
    defer { if shell.isRunning { kill(shell.processIdentifier, SIGKILL) } }
    // Without the limits' check it would wait for ever.
    try Waiting.until("the end of ardf --version") { !shell.isRunning }
    let error = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (shell.terminationStatus, error)
  }

  @Test(arguments: [
    ("ulimit -v 200000", "memory"), ("ulimit -d 100000", "memory"), ("ulimit -s 256", "stacks"),
    ("ulimit -s 524288 -v 1000000", "threads"),
  ])
  func tooLittleIsSaid(_ limits: String, _ word: String) throws {
    let run = try version(under: limits)
    #expect(run.status == 71, "\(run.error)")
    #expect(run.error.hasPrefix("ardf: ") && run.error.contains(word) && run.error.contains("ulimit"))
    #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
  }

  @Test func theDefaultsAreEnough() throws {
    #expect(try version(under: "ulimit -s 8192").status == 0)
  }
}
