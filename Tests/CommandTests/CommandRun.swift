import FileFormats
import Foundation
import TestSupport

/// One finished run of the built `ardf`.
struct CommandRun {
  let status: Int32
  let output: String
  let error: String

  /// The executable lies beside the test bundle.
  static let executable: String = {
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let besideRunner = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("ardf")
      .path
    if FileManager.default.isExecutableFile(atPath: besideRunner) { return besideRunner }
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("ardf").path
  }()

  /// Runs `ardf` in `folder` and waits for its end.
  ///
  /// Only the environment given reaches it, and settings of sanitizers (`tools/prove/sanitize`) and of the emulator
  /// that it may run in (`tools/platforms/check-arm64`); its standard input is the file `input`, or empty.
  init(
    _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:],
    input: String? = nil, program: String = CommandRun.executable
  ) throws {
    let running = try RunningCommand(
      arguments, in: folder, environment: environment, input: input, program: program)
    self = try running.finished()
  }

  fileprivate init(status: Int32, output: String, error: String) {
    self.status = status
    self.output = output
    self.error = error
  }

  /// The arguments of `ardf serve`, with any free port instead of the one that it takes by itself.
  static func onAnyPort(_ arguments: [String]) -> [String] {
    let listens = arguments.contains("--models") || arguments.contains("--listen")
    return arguments + (listens ? ["--listen", "127.0.0.1:0"] : ["--port", "0"])
  }

  /// Standard output as JSON.
  func json() throws -> JSONValue { try JSONValue.parse(output) }

  /// Every line of standard output as JSON.
  func lines() throws -> [JSONValue] {
    try output.split(separator: "\n").map { try JSONValue.parse(String($0)) }
  }

  /// The summary that `ardf run --json` prints of its only frame.
  func summary() throws -> JSONValue { try json()["summary"] ?? .null }
}

/// A run of the built `ardf` that has not ended.
final class RunningCommand {
  let process = Process()
  private let folder: URL
  private static let sanitizerSettings = ProcessInfo.processInfo.environment.filter {
    $0.key.hasSuffix("SAN_OPTIONS") || $0.key == "LD_PRELOAD" || $0.key.hasPrefix("QEMU_")
  }

  /// Another program may listen where `ardf serve` does by itself: `CommandRun.onAnyPort`.
  struct PortOfItsOwn: Error {}

  init(
    _ arguments: [String], in directory: String? = nil, environment: [String: String] = [:],
    input: String? = nil, program: String = CommandRun.executable
  ) throws {
    guard
      arguments.first != "serve"
        || arguments.contains(where: { ["--listen", "--port", "--help", "-h"].contains($0) })
    else { throw PortOfItsOwn() }
    // Files, not pipes: a full pipe would block the command.
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("ardf-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      .merging(Self.sanitizerSettings) { "\($1):\($0)" }
    if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
    process.standardInput =
      try input.map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) } ?? FileHandle.nullDevice
    process.standardOutput = try Self.stream(folder.appendingPathComponent("out"))
    process.standardError = try Self.stream(folder.appendingPathComponent("err"))
    try process.run()
  }

  /// The text on standard error so far.
  var said: String {
    (try? String(contentsOf: folder.appendingPathComponent("err"), encoding: .utf8)) ?? ""
  }

  /// It ended before what was waited for came.
  struct Ended: Error, CustomStringConvertible { let description: String }

  /// Returns once `condition` holds.
  ///
  /// - Throws: `Ended`, `Waiting.NeverCame`, and what `condition` throws.
  func until(_ what: String, _ condition: () throws -> Bool) throws {
    try Waiting.until(what) {
      let isRunning = process.isRunning
      if try condition() { return true }
      if !isRunning { throw Ended(description: "ended before \(what): \(said)") }
      return false
    }
  }

  func finished() throws -> CommandRun {
    process.waitUntilExit()
    defer { try? FileManager.default.removeItem(at: folder) }
    return CommandRun(
      status: process.terminationReason == .exit
        ? process.terminationStatus : 128 + process.terminationStatus,
      output: try String(contentsOf: folder.appendingPathComponent("out"), encoding: .utf8),
      error: try String(contentsOf: folder.appendingPathComponent("err"), encoding: .utf8))
  }

  private static func stream(_ file: URL) throws -> FileHandle {
    try Data().write(to: file)
    return try FileHandle(forWritingTo: file)
  }
}
