import FileFormats
import Foundation
import TestSupport
import Testing

/// Numbers of the environment and of a job's files that the whole command is given: no signal ends it, and it says what is
/// wrong.
@Suite struct OutsideNumberTests {
  private static let extremes = [
    "-9223372036854775808", "9223372036854775807", "99999999999999999999", "-1", "0", "1e9", "",
  ]

  @Test(arguments: extremes) func widthsOfTerminals(_ columns: String) throws {
    let usual = try CommandRun(["run", "--help"])
    let help = try CommandRun(["run", "--help"], environment: ["COLUMNS": columns, "LINES": columns])
    #expect(help.status == 0 && help.output == usual.output)
  }

  @Test func aTerminalThatThereIsCounts() throws {
    let wide = try CommandRun(["run", "--help"], environment: ["COLUMNS": "200"])
    #expect(try wide.status == 0 && wide.output != CommandRun(["run", "--help"]).output)
  }

  @Test(
    arguments: [
      "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX", "PARALLEL_SEQ",
    ], extremes.filter { !["", "0", "-1"].contains($0) })
  func indicesOfArrays(_ variable: String, _ value: String) throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"), options: .init())
    let run = try CommandRun(
      ["run", "capture", "--shard", "auto/3", "--out", "out"] + TinyNetwork.detectorOptions, in: place.path,
      environment: [variable: value])
    #expect((64...65).contains(run.status) && run.error.contains(variable), "\(run.status) \(run.error)")
    #expect(try place.entries() == ["capture"])
  }

  @Test(arguments: extremes + ["1000000000000"]) func status(_ number: String) throws {
    let place = try TemporaryDirectory()
    let record =
      #"{"at":"000000000.0000000","digest":"d","error":null,"errorKind":null,"frames":1,"id":"a","#
      + #""schema":"ardf.record/1","settings":"s"}"# + "\n"
    for shard in 1...2 {
      try place.write(record, to: "j/part-0000\(shard)-of-00002.jsonl")
      try place.write(
        #"{"event":"began","time":1,"frames":\#(number)}"# + "\n"
          + #"{"event":"done","time":1,"at":"000000000.0000000"}"# + "\n"
          + #"{"event":"done","time":601,"at":"000000001.0000000","seconds":\#(number)}"# + "\n"
          + #"{"event":"ended","time":601,"status":\#(number)}"# + "\n",
        to: "j/events-0000\(shard)-of-00002.jsonl")
    }
    for flags in [[], ["--json"]] {
      let run = try CommandRun(["status", "j"] + flags, in: place.path)
      #expect(run.status == 0, "\(run.status) \(run.error)")
    }
  }
}
