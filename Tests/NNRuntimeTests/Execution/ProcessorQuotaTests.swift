import Foundation
import NNRuntime
import Testing

/// A container's quota, which holds for teams of threads of whoever uses the library.
@Suite struct ProcessorQuotaTests {
  private static func processors(_ files: [String: String]) -> Int? {
    ProcessorQuota.processors { files[$0] }
  }

  @Test func aContainersQuotaIsOfWholeProcessors() {
    let root = "0::/\n"
    for (quota, expected) in [
      ("max 100000\n", nil), ("350000 100000\n", 3), ("50000 100000\n", 1), ("1e300 1\n", 65_536),
      ("x\n", nil),
    ] as [(String, Int?)] {
      #expect(
        Self.processors(["/proc/self/cgroup": root, "/sys/fs/cgroup/cpu.max": quota]) == expected, "\(quota)")
    }
    #expect(Self.processors([:]) == nil)
  }

  @Test func theSmallestQuotaAboveCounts() {
    let group = "/sys/fs/cgroup/pods/one"
    let files = [
      "/proc/self/cgroup": "0::/pods/one/box\n", "\(group)/cpu.max": "350000 100000\n",
      "\(group)/box/cpu.max": "max 100000\n", "/sys/fs/cgroup/pods/cpu.max": "1600000 100000\n",
    ]
    #expect(Self.processors(files) == 3)
  }

  @Test func controlGroupsOfTheFirstVersionHaveQuotasToo() {
    let folder = "/sys/fs/cgroup/cpu/box"
    for (quota, expected) in [("200000\n", 2), ("-1\n", nil)] as [(String, Int?)] {
      let files = [
        "/proc/self/cgroup": "5:memory:/other\n4:cpu,cpuacct:/box\n", "\(folder)/cpu.cfs_quota_us": quota,
        "\(folder)/cpu.cfs_period_us": "100000\n",
      ]
      #expect(Self.processors(files) == expected, "\(quota)")
    }
  }

  /// The default team has no more threads than the quota that this very process has, if it has one.
  @Test func aTeamHasNoMoreThreadsThanTheQuota() {
    let quota = ProcessorQuota.processors {
      FileManager.default.contents(atPath: $0).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(ThreadPool().threads == ThreadPool.processors)
    #expect(ThreadPool.processors <= quota ?? .max)
  }
}
