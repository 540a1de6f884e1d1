import AppCore
import Evaluation
import Models
import NNRuntime

/// One figure of accuracy of a network under different plans.
struct AccuracyFigure {
  /// The name of the metric: `mAP50-95`, of masks where labels have outlines, of key points, else of boxes; `top1`; or
  /// `AbsRel`.
  let name: String
  private let evaluate: (MixedPrecision) throws -> Double

  /// Average precision on labeled pictures, or AbsRel on captures.
  init(weights: GivenPath, labeled: String, compute: ComputeSettings, limits: CaptureLimits) throws {
    let weights = try NetworkWeights(weights, allowNonFinite: compute.allowsNonFinite)
    func precisions(_ plan: MixedPrecision) -> EvaluatedArithmetic {
      EvaluatedArithmetic(
        asked: [.exactly(plan.precision)], planned: plan, threads: compute.threads,
        allowsNonFinite: compute.allowsNonFinite)
    }
    switch weights.task {
    case .objects(let source):
      name = "mAP50-95"
      evaluate = { plan in
        let report = try ObjectEvaluationRun(
          weights, source, options: ObjectEvaluationSettings(), precisions: precisions(plan), limits: limits,
          source: labeled
        ).run(writingTo: nil)
        return (report.rows.first?.shapes ?? report.rows.first?.boxes)?.overall?.mean ?? 0
      }
    case .classes(let store, let family):
      name = "top1"
      evaluate = { plan in
        let report = try ClassEvaluationRun(
          weights, store, family, side: nil, precisions: precisions(plan), limits: limits.pictures,
          source: labeled
        ).run()
        return report.rows.first?.accuracy.top1 ?? 0
      }
    case .depth:
      name = "AbsRel"
      evaluate = { plan in
        let inputs = try RunInputs([labeled], names: []) {
          try CaptureReader.open($0, limits: limits, photographs: .exif)
        }
        let report = try DepthEvaluationRun(
          weights, settings: DepthSettings(), align: nil, precisions: precisions(plan), inputs: inputs
        ).run()
        return report.rows.first?.mean.absRel ?? 0
      }
    }
  }

  /// The figure with a plan.
  func value(of plan: MixedPrecision) throws -> Double { try evaluate(plan) }
}
