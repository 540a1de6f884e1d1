import Testing
import ardf

@Suite struct ProcessorShareTests {
  private func share(
    of available: Int = 16, environment: [String: String] = [:], files: [String: String] = [:]
  ) -> Int {
    ProcessorShare.share(of: available, environment: environment) { files[$0] }
  }

  @Test func withoutSchedulerOrQuotaItIsAllProcessors() {
    #expect(share() == 16)
    #expect(share(environment: ["SLURM_CPUS_PER_TASK": "many"]) == 16)
    #expect(share(files: ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"]) == 16)
  }

  @Test func slurmSaysHowManyATaskHas() {
    #expect(share(environment: ["SLURM_CPUS_PER_TASK": "4"]) == 4)
    #expect(share(of: 2, environment: ["SLURM_CPUS_PER_TASK": "4"]) == 2)
  }

  @Test func theSmallestQuotaAboveCounts() {
    let group = "/sys/fs/cgroup/pods/one"
    let files = [
      "/proc/self/cgroup": "0::/pods/one/box\n", "\(group)/cpu.max": "350000 100000\n",
      "\(group)/box/cpu.max": "max 100000\n", "/sys/fs/cgroup/pods/cpu.max": "1600000 100000\n",
    ]
    #expect(share(files: files) == 3)
    #expect(share(environment: ["SLURM_CPUS_PER_TASK": "2"], files: files) == 2)
    #expect(share(files: ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "1e300 1\n"]) == 16)
    // A container sees its own group as the root.
    #expect(share(files: ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "50000 100000\n"]) == 1)
  }

  @Test func controlGroupsOfTheFirstVersionHaveQuotasToo() {
    let folder = "/sys/fs/cgroup/cpu/box"
    let cgroup = "5:memory:/other\n4:cpu,cpuacct:/box\n"
    #expect(
      share(files: [
        "/proc/self/cgroup": cgroup, "\(folder)/cpu.cfs_quota_us": "200000\n",
        "\(folder)/cpu.cfs_period_us": "100000\n",
      ]) == 2)
    #expect(
      share(files: [
        "/proc/self/cgroup": cgroup, "\(folder)/cpu.cfs_quota_us": "-1\n",
        "\(folder)/cpu.cfs_period_us": "100000\n",
      ]) == 16)
  }
}
