import AppCore
import FileFormats
import NNRuntime
import OutputFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Interleaved profiles of this program and of another build of it.
///
/// Each is a process of its own, so that the placement of its memory is part of the noise.
struct PairedProfiles {
  /// The other build.
  let program: String
  /// The arguments of both, without those for the report and its file.
  let arguments: [String]

  /// The row of the whole network.
  static let whole = "whole network"

  /// The times of every row that both programs have, the whole network last.
  ///
  /// A round is old, new, old, or begins with the new one, alternately, so that drift favors neither.
  func measure(turns: Int, progress: (Int) -> Void) throws -> [PairedTimes] {
    let own = try Self.ownPath()
    let folder = try OutputError.mapping { () throws(FileError) in
      try AtomicDirectory.scratch("profiles")
    }
    defer { folder.discard() }
    var names: [String] = []
    var times: [String: [PairedTimes.Turn]] = [:]
    for turn in 0..<turns {
      func run(_ path: String) throws -> [(name: String, time: Double)] {
        try profile(path, in: folder.temporaryPath)
      }
      let isNewFirst = turn % 2 == 1
      let first = try run(isNewFirst ? own : program)
      let second = try run(isNewFirst ? program : own)
      let third = try run(program)
      let (new, old) = isNewFirst ? (first, second) : (second, first)
      if turn == 0 { names = new.map(\.name) }
      let (olds, again) = (Self.byName(old), Self.byName(third))
      for (name, time) in new {
        guard let old = olds[name], let oldAgain = again[name], min(old, oldAgain, time) > 0 else { continue }
        times[name, default: []].append(PairedTimes.Turn(old: old, oldAgain: oldAgain, new: time))
      }
      progress(turn + 1)
    }
    return names.compactMap { name in times[name].map { PairedTimes(name: name, turns: $0) } }
  }

  private static func byName(_ rows: [(name: String, time: Double)]) -> [String: Double] {
    Dictionary(rows.map { ($0.name, $0.time) }, uniquingKeysWith: { first, _ in first })
  }

  /// The median of every layer and of the whole network, milliseconds.
  private func profile(_ path: String, in folder: String) throws -> [(name: String, time: Double)] {
    let report = "\(folder)/report.json"
    try? FileManager.default.removeItem(atPath: report)
    let status: Int32?
    let said: String
    do throws(SystemError) {
      var child = try ChildProcess(
        path: path, arguments: ["profile"] + arguments + ["--report", "json", "--out", report], isFed: false)
      status = child.finish()
      said = child.complaints
    } catch {
      throw CommandError.input("\(path): cannot be run: \(error)")
    }
    guard status == 0 else {
      throw CommandError.input(
        "\(path): ended with \(status.map(String.init) ?? "a signal"): \(said.split(separator: "\n").last ?? "")"
      )
    }
    return try InFile.naming(path) {
      let document = try JSONFile.read(report, wanted: "another build of ardf")
      guard document["schema"]?.string == "ardf.profile/1", let layers = document["layers"]?.array,
        let wall = document["wall"]?["medianMs"]?.number
      else { throw CommandError.input("is not an ardf program: it printed no profile") }
      let rows = layers.compactMap { layer in
        layer["name"]?.string.flatMap { name in
          layer["overhead"]?.bool == true ? nil : layer["medianMs"]?.number.map { (name, $0) }
        }
      }
      return rows + [(Self.whole, wall)]
    }
  }

  private static func ownPath() throws -> String {
    do {
      return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    } catch {
      throw CommandError.missing("/proc/self/exe: cannot be read: where this program lies is not known")
    }
  }
}
