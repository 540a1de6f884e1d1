import ArgumentParser
import Evaluation
import Models
import NNRuntime

/// One figure of accuracy of a network under different plans.
struct AccuracyFigure {
  /// What it is: `mAP50-95`, of masks where labels have outlines, of key points, else of boxes; `top1`; or `AbsRel`.
  let name: String
  private let evaluate: (MixedPrecision) throws -> Double

  /// Average precision on labeled pictures, or AbsRel on captures.
  init(weights: String, labelled: String, compute: ComputeOptions, limits: LimitOptions) throws {
    let weights = try NetworkWeights(weights, allowNonFinite: compute.allowNonfinite)
    let arguments = compute.threads.map { ["--threads=\($0)"] } ?? []
    func precisions(_ plan: MixedPrecision) throws -> EvaluatedPrecisions {
      var precisions = try EvaluatedPrecisions.parse(arguments + ["--precision=\(plan.precision.rawValue)"])
      precisions.allowNonfinite = compute.allowNonfinite
      precisions.planned = plan
      return precisions
    }
    switch weights.task {
    case .objects(let family):
      name = "mAP50-95"
      evaluate = { plan in
        let report = try ObjectScoring(
          weights, family, options: ObjectEvaluationOptions.parse([]),
          precisions: precisions(plan), limits: limits, source: labelled
        ).run(writingTo: nil)
        return (report.rows.first?.shapes ?? report.rows.first?.boxes)?.overall?.mean ?? 0
      }
    case .classes(let family):
      name = "top1"
      evaluate = { plan in
        let report = try ClassScoring(
          weights, family, options: ObjectEvaluationOptions.parse([]),
          precisions: precisions(plan), limits: limits, source: labelled
        ).run()
        return report.rows.first?.accuracy.top1 ?? 0
      }
    case .depth:
      name = "AbsRel"
      evaluate = { plan in
        let report = try DepthScoring(
          weights, options: DepthEvaluationOptions.parse([]), precisions: precisions(plan),
          limits: limits, sources: [labelled]
        ).run()
        return report.rows.first?.mean.absRel ?? 0
      }
    }
  }

  /// The figure with a plan.
  func value(of plan: MixedPrecision) throws -> Double { try evaluate(plan) }
}
