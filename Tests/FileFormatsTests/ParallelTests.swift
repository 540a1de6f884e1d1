import FileFormats
import Synchronization
import Testing

/// Loops that threads share, and loops within them.
struct ParallelTests {
  @Test(arguments: [1, 2, 7]) func everyIndexIsTakenOnce(_ threads: Int) {
    let taken = Mutex([Int](repeating: 0, count: 1000))
    Parallel.forEach(1000, threads: threads) { index in taken.withLock { $0[index] += 1 } }
    #expect(taken.withLock { $0.allSatisfy { $0 == 1 } })
  }

  @Test(arguments: [1, 2, 7]) func loopsWithinLoopsEnd(_ threads: Int) {
    for _ in 0..<200 {
      let sums = Parallel.team(of: threads) {
        Parallel.map(9) { outer in
          Parallel.map(17) { inner in Parallel.map(3) { outer * inner + $0 }.reduce(0, +) }.reduce(0, +)
        }
      }
      #expect(sums == (0..<9).map { outer in 3 * outer * 136 + 51 })
    }
  }

  /// No more threads than asked for work at the same time, those of inner loops included.
  @Test(arguments: [1, 2, 7]) func teamsKeepTheirSize(_ threads: Int) {
    let busy = Mutex((now: 0, most: 0))
    Parallel.team(of: threads) {
      Parallel.forEach(8, threads: threads) { _ in
        Parallel.forEach(50, threads: threads) { _ in
          busy.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
          }
          busy.withLock { $0.now -= 1 }
        }
      }
    }
    #expect((1...threads).contains(busy.withLock { $0.most }))
  }

  @Test func withoutATeamMapsRunAlone() {
    #expect(Parallel.teamThreads == 1)
    #expect(Parallel.team(of: 3) { Parallel.teamThreads } == 3)
    #expect(Parallel.map(5) { $0 * $0 } == [0, 1, 4, 9, 16])
  }

  @Test(arguments: [1, 2, 7]) func rowsAreWrittenInPlace(_ threads: Int) {
    let rows: [Int] = Parallel.rows(13, width: 5, threads: threads) { range, elements in
      for index in elements.indices { elements[index] = range.lowerBound * 5 + index }
    }
    #expect(rows == Array(0..<65))
  }
}
