import FileFormats
import Foundation
import TestSupport
import Testing

/// `ardf run --keep` and `--from`, `ardf merge` and `ardf status`.
@Suite struct PartTests {
  private static let networks = TinyNetwork.detectorOptions + TinyNetwork.depthOptions

  /// Pictures and captures, a list of them, and a folder for what jobs make.
  private struct Job {
    let place: TemporaryDirectory
    let list: String
    let count: Int

    init(captures: Int, pictures: Int = 0) throws {
      place = try TemporaryDirectory()
      count = captures + pictures
      var lines: [String] = []
      for index in 0..<captures {
        try SyntheticCapture.write(to: place.file("scan\(index)"), timestamp: Double(index))
        lines.append("scan\(index)")
      }
      for index in 0..<pictures {
        try place.write(SyntheticCapture.encoded(phase: index), to: "photo\(index).png")
        lines.append("photo\(index).png")
      }
      list = try place.write(lines.joined(separator: "\n") + "\n", to: "list")
    }

    func run(
      _ options: [String], keep: String? = "records", out: String = "job", environment: [String: String] = [:]
    ) throws -> CommandRun {
      try CommandRun(arguments(options, keep: keep, out: out), in: place.path, environment: environment)
    }

    func arguments(_ options: [String], keep: String? = "records", out: String = "job") -> [String] {
      ["run", "--from", "list", "--out", out] + (keep.map { ["--keep", $0] } ?? []) + PartTests.networks
        + options
    }

    func merged(_ out: String = "job", _ options: [String] = []) throws -> CommandRun {
      try CommandRun(["merge", out, "--out", "-"] + options, in: place.path)
    }

    func part(_ name: String = "job/part-00001-of-00001.jsonl") throws -> String {
      String(decoding: try place.read(name), as: UTF8.self)
    }

    /// In the order of the frames; a part has them as they were done.
    func records(_ name: String = "job/part-00001-of-00001.jsonl") throws -> [JSONValue] {
      try part(name).split(separator: "\n").sorted().map { try JSONValue.parse(String($0)) }
    }

    func names(_ folder: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: place.file(folder)).sorted()
    }

    func started(_ log: String = "job/events-00001-of-00001.jsonl") throws -> Int {
      try part(log).split(separator: "\n").count { $0.contains("\"started\"") }
    }
  }

  @Test func aRecordAFrameAndNothingElse() throws {
    let job = try Job(captures: 3, pictures: 1)
    let run = try job.run([])
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output.isEmpty)
    #expect(
      try job.names("job") == [".ardf.json", "events-00001-of-00001.jsonl", "part-00001-of-00001.jsonl"])
    let records = try job.records()
    #expect(records.map { $0["id"]?.string } == ["scan0", "scan1", "scan2", "photo0.png"])
    for record in records {
      #expect(record["schema"] == "ardf.record/1")
      #expect(record["summary"]?["digest"] == record["digest"])
      #expect(record["error"] == .null)
      #expect(record["masks"] == nil)
    }
    // What a record says of a frame is what the frame's folder says.
    let whole = try CommandRun(
      ["run", "scan0", "--out", "whole"] + Self.networks, in: job.place.path)
    #expect(whole.status == 0, "\(whole.error)")
    #expect(
      records[0]["summary"]?["objects"]
        == (try JSONValue.read(path: job.place.file("whole/summary.json"))["objects"]))
  }

  @Test func shardsMergedAreASingleRun() throws {
    let job = try Job(captures: 5, pictures: 2)
    #expect(try job.run(["--threads", "1"], out: "single").status == 0)
    for index in [2, 0, 1] {
      let run = try job.run(["--shard", "auto/3"], environment: ["SLURM_ARRAY_TASK_ID": "\(index)"])
      #expect(run.status == 0, "\(run.error)")
    }
    let merged = try job.merged("job", ["--from", "list"])
    #expect(merged.status == 0, "\(merged.error)")
    #expect(merged.output == (try job.part("single/part-00001-of-00001.jsonl")))
    let lines = try (1...3).flatMap {
      try job.part("job/part-0000\($0)-of-00003.jsonl").split(separator: "\n")
    }
    #expect(lines.sorted().map { $0 + "\n" }.joined() == merged.output)
    #expect(try job.run(["--shard", "1/3"]).status == 73)

    let other = try CommandRun(
      ["run", "scan0", "scan1", "scan2", "scan3", "scan4", "photo0.png", "photo1.png", "--keep", "records"]
        + ["--shard", "2/2", "--out", "named"] + Self.networks, in: job.place.path)
    #expect(other.status == 0, "\(other.error)")
    #expect(try job.records("named/part-00002-of-00002.jsonl").count == 4)
  }

  @Test func aKilledShardLosesNothingAndRepeatsWhatWasInWork() throws {
    let job = try Job(captures: 12)
    #expect(try job.run(["--threads", "1"], out: "single").status == 0)
    let victim = try RunningCommand(job.arguments(["--threads", "1"]), in: job.place.path)
    let part = job.place.file("job/part-00001-of-00001.jsonl")
    try victim.until("a record is there") { (try? FileBytes.contents(of: part).count) ?? 0 >= 2000 }
    kill(victim.process.processIdentifier, SIGKILL)
    _ = try victim.finished()
    // As if it had been in the middle of a record, where it was not: a kill may end a write after any page.
    let lines = try job.part().split(separator: "\n", omittingEmptySubsequences: false)
    let torn = lines.last?.utf8.count ?? 0
    let half = try job.part().split(separator: "\n")[0].prefix(300)
    let file = try #require(FileHandle(forWritingAtPath: part))
    try file.seekToEnd()
    try file.write(contentsOf: Data(half.utf8))
    try file.close()

    let resumed = try job.run(["--threads", "1", "--resume"])
    #expect(resumed.status == 0, "\(resumed.error)")
    #expect(resumed.error.contains("\(torn + 300) bytes of a record that was not finished are cut off"))
    #expect(try job.part() == job.part("single/part-00001-of-00001.jsonl"))
    #expect(try job.started() <= 13)
    let again = try job.run(["--resume"])
    #expect(again.error.contains("12 finished before"))
    #expect(try job.started() <= 13)
  }

  /// One that was done before the signal came is tried again with twice as much to do.
  @Test func aSignalLetsFramesInWorkComeToTheirEnd() throws {
    var captures = 40
    while true {
      let job = try Job(captures: captures)
      let victim = try RunningCommand(job.arguments(["--threads", "1"]), in: job.place.path)
      let part = job.place.file("job/part-00001-of-00001.jsonl")
      try victim.until("a record is there") { (try? FileBytes.contents(of: part).count) ?? 0 > 0 }
      kill(victim.process.processIdentifier, SIGTERM)
      let status = try victim.finished().status
      captures *= 2
      if status == 0 { continue }
      #expect(status == 143)
      #expect(try job.part().hasSuffix("}\n"))
      #expect(try job.started() == job.records().count)
      #expect(try job.run(["--resume"]).status == 0)
      #expect(try job.started() == job.count)
      return
    }
  }

  @Test func changedOptionsAndInputsAreDoneAgain() throws {
    let job = try Job(captures: 2)
    #expect(try job.run([]).status == 0)
    let lower = try job.run(["--resume", "--iou", "0.4"])
    #expect(lower.error.contains("2 frames in"))
    #expect(try job.records().count == 4)
    #expect(try job.merged().output.split(separator: "\n").count == 2)
    try SyntheticCapture.write(
      to: job.place.file("scan1"), options: SyntheticCapture.Options(flatDepth: true), timestamp: 1)
    let moved = try job.run(["--resume", "--iou", "0.4"])
    #expect(moved.error.contains("1 frame in"))
    #expect(moved.error.contains("1 finished before"))
    // Half a job with other options makes no whole.
    #expect(try job.run(["--resume", "--iou", "0.3", "--shard", "1/1", "--max-errors", "0"]).status == 0)
    #expect(try job.merged().status == 0)
  }

  @Test func badInputsAreRecordsWithinABudget() throws {
    let job = try Job(captures: 2, pictures: 3)
    let sound = try FileBytes.contents(of: job.place.file("photo0.png"))
    try job.place.write(Array(sound.prefix(sound.count / 2)), to: "photo1.png")
    try FileManager.default.removeItem(atPath: job.place.file("photo2.png"))
    let all = try job.run([])
    #expect(all.status == 65)
    #expect(all.error.contains("2 bad inputs (1 malformed, 1 missing) of 5 frames; the others are done"))
    let records = try job.records()
    #expect(records.map { $0["errorKind"]?.string } == [nil, nil, nil, "malformed", "missing"])
    #expect(records[4]["summary"] == .null)
    let started = try job.started()

    let within = try job.run(["--resume", "--max-errors", "2"])
    #expect(within.status == 0, "\(within.error)")
    #expect(within.error.contains("within --max-errors 2"))
    #expect(within.error.contains("5 finished before"))
    #expect(try job.started() == started)
    #expect(try job.run(["--resume", "--max-errors", "40%"]).status == 0)
    #expect(try job.run(["--resume", "--max-errors", "39%"]).status == 10)
    let share = try job.run(["--resume", "--max-errors", "20%"])
    #expect(
      share.error.contains("--max-errors 20%, which is 1 of the 5 frames of this shard"), "\(share.error)")
    let failed = try CommandRun(["status", "job", "--failed"], in: job.place.path)
    let lines = failed.output.split(separator: "\n")
    #expect(failed.status == 0 && lines.count == 2, "\(failed.output)")
    #expect(lines.first?.contains(": malformed: ") == true && lines.last?.contains(": missing: ") == true)
    let listed = try CommandRun(["status", "job", "--failed", "--json"], in: job.place.path).lines()
    #expect(listed.map { $0["kind"]?.string } == ["malformed", "missing"])
    let printed = try CommandRun(["merge", "job"], in: job.place.path)
    #expect(try printed.status == 0 && printed.output == job.merged().output)
    let over = try job.run(["--max-errors", "0", "--threads", "1"], out: "strict")
    #expect(over.status == 10)
    #expect(over.error.contains("more than --max-errors 0"))
    #expect(try job.records("strict/part-00001-of-00001.jsonl").count == 4)

    // What is mended is done again; what is not is known.
    try job.place.write(sound, to: "photo2.png")
    let mended = try job.run(["--resume", "--max-errors", "1"])
    #expect(mended.status == 0, "\(mended.error)")
    #expect(mended.error.contains("1 frame in"))
    let status = try CommandRun(["status", "job", "--json"], in: job.place.path).json()
    #expect(status["done"] == 4)
    #expect(status["errors"] == ["malformed": 1])
    #expect(status["progress"] == ["done": 5, "total": 5])
    let text = try CommandRun(["status", "job"], in: job.place.path).output
    #expect(text.hasPrefix("5 frames: 4 done, 1 failed; 5 of 5 finished\n"), "\(text)")
  }

  @Test func aBadLineOfTheListIsABadInput() throws {
    let job = try Job(captures: 1)
    try job.place.write("scan0\n{\"id\": 3}\n", to: "list")
    let run = try job.run(["--max-errors", "1"])
    #expect(run.status == 0, "\(run.error)")
    #expect(try job.records()[1]["errorKind"] == "manifest")
    try job.place.write("scan0\n" + String(repeating: "x", count: 1 << 21), to: "list")
    #expect(try job.run([], out: "long").status == 65)
    try FileManager.default.removeItem(atPath: job.list)
    #expect(try job.run([], out: "none").status == 66)
  }

  @Test func mergingNoRecordIsNoSuccess() throws {
    let job = try Job(captures: 1)
    #expect(try job.run([]).status == 0)
    let other = try job.merged("job", ["--settings", "0000", "--partial"])
    #expect(
      other.status == 65 && other.error.contains("no record was made with --settings 0000; choose"),
      "\(other.error)")
    for digits in ["x", "nan", "A"] {
      let run = try job.merged("job", ["--settings", digits])
      #expect(run.status == 64 && run.error.contains("first digits of the field settings"), "\(run.error)")
    }
    try job.place.write("", to: "empty/part-00001-of-00001.jsonl")
    let none = try job.merged("empty")
    #expect(none.status == 1 && none.error.contains("its parts hold no record"), "\(none.error)")
    let partial = try job.merged("empty", ["--partial"])
    #expect(partial.status == 0 && partial.output.isEmpty, "\(partial.error)")
  }

  /// In every shard alike, and for `merge`.
  @Test func aCaptureThatIsListedTwiceHasOneRecord() throws {
    let job = try Job(captures: 3)
    try job.place.write(
      "scan0\nscan1\n./scan0\nscan2\n{\"id\": \"scan1\", \"path\": \"scan2\"}\n", to: "list")
    for shard in ["1/2", "2/2"] {
      let run = try job.run(["--shard", shard, "--max-errors", "1"], out: "shards")
      #expect(run.status == 0, "\(run.error)")
      #expect(
        run.error.contains("1 line gives a capture of the list again, which is done once: ./scan0"),
        "\(run.error)")
    }
    let merged = try job.merged("shards", ["--from", "list"])
    #expect(merged.status == 0, "\(merged.error)")
    let records = try merged.lines()
    #expect(records.map { $0["source"]?.string } == ["scan0", "scan1", "scan2", ""])
    #expect(records[3]["error"]?.string?.contains("another capture before it has that id") == true)
  }

  @Test func masksGoIntoTheRecordAndFilesUnderADigest() throws {
    let job = try Job(captures: 2)
    #expect(try job.run([], keep: "masks", out: "masks").status == 0)
    let masks = try job.records("masks/part-00001-of-00001.jsonl").map { $0["masks"]?.array ?? [] }
    #expect(masks.contains { !$0.isEmpty })
    #expect(masks.joined().allSatisfy { $0["counts"]?.string != nil && $0["size"]?.array?.count == 2 })

    let all = try job.run([], keep: nil, out: "all")
    #expect(all.status == 0, "\(all.error)")
    let folders = try job.records("all/part-00001-of-00001.jsonl").compactMap { $0["folder"]?.string }
    #expect(folders.count == 2)
    for folder in folders { #expect(try job.names("all/\(folder)").contains("results.jpg")) }
    // Folders that a killed process published are found, and nothing is computed for them.
    try FileManager.default.removeItem(atPath: job.place.file("all/part-00001-of-00001.jsonl"))
    let before = try digests(of: job.place.file("all"))
    let again = try job.run(["--resume"], keep: "all", out: "all")
    #expect(again.error.contains("2 finished before"), "\(again.error)")
    #expect(try job.started("all/events-00001-of-00001.jsonl") == 2)
    #expect(
      try digests(of: job.place.file("all/frames"))
        == before.filter { $0.key.hasPrefix("frames/") }
        .reduce(into: [:]) { $0[String($1.key.dropFirst(7))] = $1.value })
  }

  @Test func aPartIsStagedAndPublishedOnce() throws {
    let job = try Job(captures: 4)
    #expect(try job.run(["--threads", "1"], out: "single").status == 0)
    for shard in ["1/2", "2/2"] {
      let run = try job.run(["--shard", shard, "--stage", "scratch", "--resume"], out: "store")
      #expect(run.status == 0, "\(run.error)")
    }
    let names = try job.names("store")
    #expect(names.count == 2)
    #expect(names.allSatisfy { $0.split(separator: ".")[1].count == 16 })
    #expect(try job.merged("store").output == job.part("single/part-00001-of-00001.jsonl"))
    // On another machine the next process continues from what was published.
    let again = try job.run(["--shard", "1/2", "--stage", "elsewhere", "--resume"], out: "store")
    #expect(again.error.contains("2 finished before"), "\(again.error)")
    #expect(try job.names("store") == names)
    #expect(try job.run(["--shard", "1/2", "--stage", "elsewhere"], out: "store").status == 73)
  }

  @Test func listsGiveIdsDepthAndCameras() throws {
    let job = try Job(captures: 0, pictures: 1)
    try SyntheticCapture.writeSequence(of: 3, to: job.place.file("hall"))
    try FileManager.default.copyItem(
      atPath: job.place.file("hall/f1000/depth.npy"), toPath: job.place.file("depth.npy"))
    try job.place.write(
      """
      {"id": "measured", "path": "photo0.png", "depth": "depth.npy", "intrinsics": [100, 100, 63.5, 47.5], "mine": 1}
      {"id": "walk", "path": "hall"}
      """, to: "list")
    let input = try CommandRun(
      ["run", "--from", "-", "--keep", "records", "--out", "job", "--threads", "1"] + Self.networks,
      in: job.place.path, input: job.list)
    #expect(input.status == 0, "\(input.error)")
    let records = try job.records()
    #expect(records.map { $0["id"]?.string } == ["measured", "walk", "walk", "walk"])
    #expect(
      records.map { $0["at"]?.string } == [
        "000000000.0000000", "000000001.0000000", "000000001.0000001", "000000001.0000002",
      ])
    #expect(records[1]["frames"] == 3)
    #expect(records[0]["summary"]?["fusion"] != .null)
    #expect(try job.merged("job", ["--from", "list"]).status == 0)
  }

  @Test func whatIsMissingIsToldAndNotWritten() throws {
    let job = try Job(captures: 5)
    #expect(try job.run(["--shard", "1/3"]).status == 0)
    let merged = try CommandRun(
      ["merge", "job", "--out", "records.jsonl", "--from", "list"], in: job.place.path)
    #expect(merged.status == 1)
    #expect(merged.error.contains("2 of 3 shards left no part: --shard 2/3, 3/3"))
    #expect(merged.error.contains("3 captures are missing or incomplete"))
    #expect(!FileManager.default.fileExists(atPath: job.place.file("records.jsonl")))
    #expect(
      try CommandRun(["merge", "job", "--out", "records.jsonl", "--partial"], in: job.place.path).status == 0)
    #expect(
      try CommandRun(["merge", "job", "--out", "records.jsonl", "--partial"], in: job.place.path).status == 73
    )
    #expect(
      try CommandRun(["merge", "job", "--out", "records.jsonl", "--partial", "--force"], in: job.place.path)
        .status
        == 0)
    let status = try CommandRun(["status", "job"], in: job.place.path)
    #expect(status.status == 0)
    #expect(status.output.contains("shards: 1 of 3 begun, 1 ended well"))
    #expect(status.output.contains("not begun: --shard 2/3, 3/3"))
    #expect(status.output.contains("1 process,") && status.output.contains("slow: "), "\(status.output)")
    #expect(!status.output.contains("000000000.0000000"), "\(status.output)")
    #expect(try CommandRun(["merge", "hall", "--out", "-"], in: job.place.path).status == 66)
    #expect(try CommandRun(["status", "."], in: job.place.path).status == 66)
  }

  @Test(arguments: [
    (["--shard", "auto/3"], "no scheduler says"), (["--json"], "leave --json out"),
    (["--force"], "never replaced"),
    (["--format", "csv"], "leave --format out"), (["--masks-rle"], "--keep masks"),
    (["photo.png"], "in place of SOURCES"),
    (["--frame", "0"], "belongs to one SOURCE"), (["--max-errors", "x"], "max-errors"),
    (["--stage", "s", "--keep", "all"], "add --keep records"), (["--shard", "auto/0"], "shard"),
  ])
  func whatDoesNotGoTogetherIsUsage(_ options: [String], _ message: String) throws {
    let job = try Job(captures: 1)
    let run = try CommandRun(
      ["run", "--from", "list", "--out", "job"] + Self.networks + options, in: job.place.path)
    #expect(run.status == 64, "\(options): \(run.error)")
    #expect(run.error.contains(message), "\(options): \(run.error)")
  }

  @Test func optionsOfRecordsNeedRecords() throws {
    let job = try Job(captures: 1)
    for options in [["scan0", "--max-errors", "1"], ["scan0", "--stage", "s"], []] {
      #expect(try CommandRun(["run", "--out", "x"] + options, in: job.place.path).status == 64)
    }
    #expect(
      try CommandRun(["run", "-", "--keep", "records", "--out", "x"] + Self.networks, in: job.place.path)
        .status == 64)
    // A folder of something else is left alone.
    try job.place.write("mine", to: "mine/file")
    #expect(try job.run([], out: "mine").status == 73)
  }
}
