import Digests
import FileFormats
import NNRuntime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The conditions of a measurement besides the program, recorded with every report.
struct MeasurementEnvironment {
  let machine: Machine
  let backend: Backend
  let version: String
  /// SHA-256 of the weight file.
  let weightsDigest: String
  /// Runnable threads of the whole machine over the minute before the measurement.
  let load: Double?

  /// Reads the whole weight file; call it after measuring a cold start, since it fills the file cache.
  ///
  /// - Throws: `InstructionSetError`, `FileError` for the weights.
  init(weights: String, backend: Backend, load: Double?) throws {
    machine = try Machine.current()
    self.backend = backend
    version = ARDF.version
    weightsDigest = try sha256Hex(path: weights)
    self.load = load
  }

  /// Runnable threads of the whole machine over the last minute.
  static var currentLoad: Double? {
    systemText("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
  }

  var document: JSONValue {
    [
      "version": .string(version), "commit": SourceCommit.current.map(JSONValue.string) ?? .null,
      "processor": .string(machine.processor),
      "processors": .integer(machine.processors), "instructionSet": .string(machine.inUse),
      "blas": backend == .openBLAS ? machine.blas.map(JSONValue.string) ?? .null : .null,
      "weightsSHA256": .string(weightsDigest), "load": .rounded(load, decimals: 2),
    ]
  }

  /// One line for people.
  var line: String {
    let kernels = backend == .openBLAS ? "OpenBLAS \(machine.blas ?? "")" : machine.inUse
    let commit = SourceCommit.current.map { " (\($0.prefix(12)))" } ?? ""
    return
      "ardf \(version)\(commit), \(machine.processor), \(counted(machine.processors, "processor")), \(kernels), "
      + "weights \(weightsDigest.prefix(12)), load \(load.map { decimal($0, 2) } ?? "unknown")"
  }

  /// Whether a text is such a line, of any version of `ardf`.
  static func isLine(_ text: [UInt8]) -> Bool {
    String(decoding: text, as: UTF8.self).wholeMatch(
      of: /ardf \d+\.\d+\.\d+[^,]*, .* processors, .*, weights [0-9a-f]{1,12}, load [a-z0-9.]+/) != nil
  }

  // MARK: Memory of this process

  /// Peak memory since the last `resetPeak`, bytes; nil where the system does not report it.
  static var peakBytes: Int? {
    let line = systemText("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { integer(of: $0.filter(\.isNumber), in: 0...1 << 50) }.map { $0 * 1024 }
  }

  /// Resets `peakBytes` to the memory in use; where the system refuses, the old peak stays.
  static func resetPeak() {
    try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
  }
}
