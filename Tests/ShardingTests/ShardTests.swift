import FileFormats
import Sharding
import Testing

@Suite struct ShardTests {
  @Test func stretchesOfNeighborsMakeTheWhole() throws {
    for (count, total) in [(1, 5), (3, 10), (7, 3), (8, 200)] {
      let shards = (1...count).compactMap { Shard(number: $0, of: count) }
      #expect(shards.flatMap { Array($0.positions(of: total)) } == Array(0..<total))
    }
  }

  @Test func everyCaptureOfAManifestIsOneShards() {
    let shards = (1...7).compactMap { Shard(number: $0, of: 7) }
    for capture in 0..<50 { #expect(shards.count { $0.takes(capture: capture) } == 1) }
  }

  @Test(arguments: ["0/3", "4/3", "1/0", "1", "a/b", "1/2/3", "-1/2", "1/100001", ""])
  func textsThatAreNoShard(_ text: String) { #expect(Shard(text) == nil) }

  @Test func schedulersCountAsTheyDo() throws {
    func shard(_ variable: ArrayIndex, _ value: String) throws -> String {
      try Shard(ofArray: 8, environment: [variable.rawValue: value, "HOME": "/"]).description
    }
    #expect(try shard(.slurm, "0") == "1/8")
    #expect(try shard(.slurm, "7") == "8/8")
    #expect(try shard(.kubernetes, "3") == "4/8")
    #expect(try shard(.awsBatch, "7") == "8/8")
    #expect(try shard(.parallel, "1") == "1/8")
    #expect(try shard(.parallel, "8") == "8/8")
  }

  @Test func whatNoShardCanBeMadeOfIsSaid() {
    func error(_ environment: [String: String]) -> ArrayIndexError? {
      do throws(ArrayIndexError) {
        _ = try Shard(ofArray: 8, environment: environment)
        return nil
      } catch {
        return error
      }
    }
    #expect(error([:]) == ArrayIndexError.none(count: 8))
    #expect(error(["SLURM_ARRAY_TASK_ID": ""]) == ArrayIndexError.none(count: 8))
    #expect(
      error(["SLURM_ARRAY_TASK_ID": "-1"])?.description.contains("count from 0; give --shard I/8") == true)
    #expect(
      error(["SLURM_ARRAY_TASK_ID": "1", "PARALLEL_SEQ": "1"]) == .several([.slurm, .parallel], count: 8))
    #expect(error(["JOB_COMPLETION_INDEX": "one"]) == .notANumber(.kubernetes, value: "one"))
    // An array that was meant to count from 1 would leave the first shard out: its last task says so.
    let last = error(["SLURM_ARRAY_TASK_ID": "8"])
    #expect(last == .outside(.slurm, value: 8, count: 8))
    #expect(last?.description.contains("--array=0-7") == true)
    #expect(error(["PARALLEL_SEQ": "0"]) == .outside(.parallel, value: 0, count: 8))
    #expect(error(["PARALLEL_SEQ": "9"]) == .outside(.parallel, value: 9, count: 8))
    #expect(error(["AWS_BATCH_JOB_ARRAY_INDEX": "-1"]) == .outside(.awsBatch, value: -1, count: 8))
  }

  @Test func namesOfPartsAreReadAsTheyAreWritten() throws {
    let shard = try #require(Shard(number: 7, of: 100))
    let digest = "3f1c0a9be27d5486ffff"
    #expect(PartName(.part, of: shard).description == "part-00007-of-00100.jsonl")
    #expect(
      PartName(.part, of: shard, digest: digest).description == "part-00007-of-00100.3f1c0a9be27d5486.jsonl")
    for name in [
      PartName(.part, of: shard), PartName(.events, of: shard), PartName(.part, of: shard, digest: digest),
    ] {
      #expect(PartName(name.description) == name)
    }
    for other in [
      "part-7-of-100.jsonl", "part-00007-of-00100.json", "part-00101-of-00100.jsonl", "results-1-of-2.jsonl",
      "part-00007-of-00100.3f1c.jsonl.tmp", ".part-00007-of-00100.jsonl.0123456789abcdef.partial",
    ] {
      #expect(PartName(other) == nil, "\(other)")
    }
    #expect(
      PartName.names(
        of: .part,
        among: ["part-00002-of-00002.jsonl", "events-00001-of-00002.jsonl", "part-00001-of-00002.jsonl", "x"]
      ).map(\.shard.number) == [1, 2])
  }

  @Test func positionsSortAsTheirTexts() throws {
    let positions = [(0, 0), (0, 9), (0, 10), (9, 0), (10, 3), (999_999_999, 9_999_999)].map {
      FramePosition(capture: $0.0, frame: $0.1)
    }
    #expect(positions == positions.sorted())
    #expect(positions.map(\.description) == positions.map(\.description).sorted())
    for position in positions { #expect(FramePosition(position.description) == position) }
    for text in ["1.2", "000000001.000002", "000000001-0000002", "00000000x.0000002", ""] {
      #expect(FramePosition(text) == nil, "\(text)")
    }
  }
}
