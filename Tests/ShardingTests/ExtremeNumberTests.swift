import FileFormats
import Sharding
import TestSupport
import Testing

/// Numbers in a job's files and environment that no sum holds, and records that are far from all others.
@Suite struct ExtremeNumberTests {
  private static let numbers = [
    "-9223372036854775808", "-1", "0", "9223372036854775807", "9223372036854775808", "1e19", "1e308", "0.5",
  ]

  private func record(_ frames: String, at position: String = "000000000.0000000") -> String {
    #"{"at":"\#(position)","digest":"d","error":null,"errorKind":null,"frames":\#(frames),"id":"a","#
      + #""schema":"ardf.record/1","settings":"s"}"# + "\n"
  }

  @Test(arguments: numbers) func framesOfARecord(_ frames: String) throws {
    let place = try TemporaryDirectory()
    try place.write(record(frames), to: "part-00001-of-00001.jsonl")
    let status = try JobStatus(of: place.path)
    #expect(status.done == 0 && status.damage.lines == 1)
    #expect(try MergedParts(of: place.path).count == 0)
  }

  @Test(arguments: numbers) func workOfShards(_ count: String) throws {
    let place = try TemporaryDirectory()
    for shard in 1...2 {
      try place.write("", to: "part-0000\(shard)-of-00002.jsonl")
      for unit in ["frames", "captures"] {
        try place.write(
          #"{"event":"began","time":1,"\#(unit)":\#(count)}"# + "\n",
          to: "events-0000\(shard)-of-00002.jsonl")
        let status = try JobStatus(of: place.path)
        #expect(status.progress == nil || status.progress?.total == 0)
        #expect(status.secondsLeft == nil)
      }
    }
  }

  @Test(arguments: numbers + ["100000000001"]) func timesOfEvents(_ time: String) throws {
    let place = try TemporaryDirectory()
    try place.write(record("1"), to: "part-00001-of-00001.jsonl")
    try place.write(
      #"{"event":"began","time":1,"frames":1000000000000}"# + "\n"
        + #"{"event":"done","time":1,"seconds":1e30,"at":"000000000.0000000"}"# + "\n"
        + #"{"event":"done","time":\#(time),"at":"000000001.0000000"}"# + "\n",
      to: "events-00001-of-00001.jsonl")
    let status = try JobStatus(of: place.path)
    #expect(status.slowest.isEmpty)
    #expect(status.secondsLeft.map { $0.isFinite && $0 >= 0 } ?? true)
  }

  /// One digit of a record flipped: what is missing before it is known without counting there.
  @Test func aFarRecordIsFoundAtOnce() throws {
    let place = try TemporaryDirectory()
    let far = ["000000000", "000000001", "900000002"]
    try place.write(far.map { record("1", at: "\($0).0000000") }.joined(), to: "part-00001-of-00001.jsonl")
    let start = Waiting.processorTime
    let gaps = try MergedParts(of: place.path).gaps(manifest: nil)
    #expect(Waiting.processorTime - start < .seconds(1))
    #expect(gaps.captures == 900_000_000 && gaps.first == [2, 3, 4, 5, 6] && gaps.beyond == 0)
  }

  @Test(arguments: ["+00000000.0000000", "-00000000.0000000", "000000000.-000001", "00000000 .0000000"])
  func aPositionHasOneText(_ text: String) { #expect(FramePosition(text) == nil) }

  @Test func aFrameIsOneOfItsCapture() throws {
    #expect(PartRecord(line: Array(record("1", at: "000000000.0000001").utf8.dropLast())) == nil)
    #expect(PartRecord(line: Array(record("2", at: "000000000.0000001").utf8.dropLast())) != nil)
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "9223372036854775806", "100001"])
  func indicesOfArrays(_ value: String) throws {
    let index = try #require(CheckedInt(value))
    for variable in ArrayIndex.allCases {
      let expected = ArrayIndexError.outside(variable, value: index, count: 8)
      #expect(throws: expected) { try Shard(ofArray: 8, environment: [variable.rawValue: value]) }
    }
  }

  @Test func indicesBeyondEveryNumber() {
    let value = "99999999999999999999"
    #expect(throws: ArrayIndexError.notANumber(.slurm, value: value)) {
      try Shard(ofArray: 8, environment: [ArrayIndex.slurm.rawValue: value])
    }
  }

  /// Every file may name another number of shards.
  @Test func partsOfManyCounts() throws {
    let names = (90_000...Shard.most).compactMap { Shard(number: $0, of: $0).map { PartName(.part, of: $0) } }
    #expect(MergedParts.missingShards(names).count == 89_999)
  }
}
