import ArgumentParser
import Geometry
import Models
import NNRuntime
import NNVerification

/// The analysis of which layers tolerate a lower precision.
struct SensitivityOptions: ParsableArguments {
  @Flag(
    name: .customLong("sensitivity"),
    help: "Lower one layer at a time to --precision, and rank layers by the outputs' error.")
  var isAsked = false

  @OptionGroup(title: "Calibration") var calibration: CalibrationOptions

  @Option(
    help: ArgumentHelp(
      "Find the plan that computes least with an error of the outputs of at most this share (relative L2, against fp32).",
      valueName: "share"))
  var maxError: Double?

  @Option(
    help: ArgumentHelp(
      "Also rank by accuracy on these labeled pictures (of a depth network, captures with depth), as ardf evaluate "
        + "has it.", valueName: "folder"))
  var labeled: String?

  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws {
    if let maxError, !(maxError > 0 && maxError < 1) {
      throw ValidationError("--max-error \(maxError): give a share between 0 and 1, for example 0.01")
    }
    guard isAsked == !calibration.calibrate.isEmpty || !isAsked else {
      throw ValidationError("--sensitivity: give pictures with --calibrate")
    }
  }

  /// Runs the analysis.
  func report(
    of inspected: InspectedOptions, _ backend: Backend, _ set: InstructionSet?, size: PixelSize?
  ) throws -> SensitivityReport {
    let images = try calibration.images(limits.capture)
    let pool = inspected.compute.makePool()
    let network = try inspected.network(backend, set, pool: pool)
    let calibrated = try CalibratedNetwork(network, images, size: size)
    let figure = try labeled.map {
      try AccuracyFigure(
        weights: inspected.file(), labeled: $0, compute: inspected.compute.settings, limits: limits.capture)
    }
    let run = SensitivityRun(
      calibrated: calibrated, exact: try calibrated.exact(), maxError: maxError,
      score: figure.map { figure in { try figure.value(of: $0) } }, isTimed: true)
    let findings: SensitivityRun.Findings
    do {
      findings = try Progress.showing("layer") { try run.run(onLayer: $0) }
    } catch let error as SensitivityError {
      guard let maxError, case .outOfReach = error else { throw error }
      throw CommandError.checkFailed("--max-error \(maxError): \(error)")
    }
    return SensitivityReport(
      findings: findings, network: network.name, kernels: calibrated.sessions[0].plan.kernelName,
      pictures: images.count, scoreName: figure?.name)
  }
}
