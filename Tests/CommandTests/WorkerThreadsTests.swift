import NNRuntime
import Testing
import ardf

@Suite("Threads that workers share") struct WorkerThreadsTests {
  @Test("no more threads than there are, one for each worker at least")
  func parts() {
    for threads in 1...16 {
      for busy in 1...20 {
        let part = WorkerThreads.part(of: threads, busy: busy)
        #expect(part >= 1 && (part == 1 || part * busy <= threads))
      }
      #expect(WorkerThreads.part(of: threads, busy: 1) == threads)
    }
  }

  @Test("a pool for each worker, of up to four parts", arguments: [(1, 2), (2, 2), (4, 2), (16, 16), (3, 8)])
  func pools(workers: Int, threads: Int) {
    let all = WorkerThreads(workers: workers, threads: threads)
    #expect(all.pools.count == workers)
    for pool in all.pools {
      #expect(pool.threads <= threads && pool.threads <= 4 * max(1, threads / workers))
    }
  }

  /// Whatever is divided among threads goes by the option, and by Slurm's share without it.
  @Test("--threads holds for the whole command")
  func ofACommand() throws {
    let lines = [
      "run p.png --out o", "detect p.png --out o --track botsort", "depth p.png --out o",
      "replay cap --out o",
      "serve cap", "infer m.onnx --out o", "verify --weights w --against portable",
      "trace --weights w --input p.png",
      "evaluate set --weights w", "quantize w --calibrate p --out q.safetensors", "profile w",
      "tune w --out plan.json",
    ]
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      #expect(try CommandThreads.of(words: words + ["--threads", "3"]) == 3, "\(line)")
      #expect(try CommandThreads.of(words: words) == ProcessorShare.threads, "\(line)")
    }
  }
}
