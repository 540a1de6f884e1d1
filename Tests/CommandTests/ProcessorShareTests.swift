import Testing
import ardf

@Suite struct ProcessorShareTests {
  private func share(of available: Int = 16, environment: [String: String] = [:]) -> Int {
    ProcessorShare.share(of: available, environment: environment)
  }

  @Test func withoutSchedulerItIsAllProcessors() {
    #expect(share() == 16)
    #expect(share(environment: ["SLURM_CPUS_PER_TASK": "many"]) == 16)
  }

  @Test func slurmSaysHowManyATaskHas() {
    #expect(share(environment: ["SLURM_CPUS_PER_TASK": "4"]) == 4)
    #expect(share(of: 2, environment: ["SLURM_CPUS_PER_TASK": "4"]) == 2)
  }
}
