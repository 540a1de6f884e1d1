import FileFormats

/// Why a fit was accepted or refused.
public enum FusionStatus: String, Sendable, CaseIterable {
  /// The alignment can be used.
  case ok
  /// Fewer pairs than `FusionOptions.minimumPairs`.
  case tooFewPairs = "too-few-pairs"
  /// The relative depths hardly differ, or the linear slope is out of bounds.
  case degenerate
  /// Larger relative depth would be farther: the input is not inverse depth, or not of this scene.
  case negativeSlope = "negative-slope"
  /// The median relative residual is too large.
  case poorFit = "poor-fit"
}

/// The outcome of a fit: the alignment, or why there is none.
public struct FusionReport: Sendable, Equatable {
  /// Schema of `fusion.json`.
  public static let schema = "ardf.fusion/1"

  /// Whether the alignment can be used.
  public let status: FusionStatus
  /// How many pairs there were.
  public let pairs: Int
  /// The function asked for.
  public let model: FusionModel
  /// The alignment; nil unless `status` is `ok`.
  public let alignment: DepthAlignment?
  /// How metric depth was computed; nil where it was not.
  public internal(set) var method: FusionMethod?
  /// Model of the sensor; nil where metric depth was not made.
  public internal(set) var sensor: SensorModel?
  /// How well readings repeat each other, by some that were hidden, and how far they are expected off the truth; nil where
  /// no metric depth was made or too few could be hidden.
  public internal(set) var quality: FusionQuality?
  /// The share of pixels known in each way; nil where metric depth was not made.
  public internal(set) var shares: [DepthState: Double]?

  init(accepted alignment: DepthAlignment, model: FusionModel) {
    status = .ok
    pairs = alignment.pairs
    self.model = model
    self.alignment = alignment
  }

  init(refused status: FusionStatus, pairs: Int, model: FusionModel) {
    precondition(status != .ok, "a refusal names its reason")
    self.status = status
    self.pairs = pairs
    self.model = model
    alignment = nil
  }

  /// The content of `fusion.json`.
  package var json: JSONValue {
    var members: [String: JSONValue] = [
      "schema": .string(Self.schema), "model": .string(model.rawValue), "pairs": .integer(pairs),
      "status": .string(status.rawValue),
    ]
    if let alignment {
      switch alignment.model {
      case .inverse(let scale, let shift):
        members["scale"] = .number(scale)
        members["shift"] = .number(shift)
      case .linear(let alpha, let beta):
        members["alpha"] = .number(alpha)
        members["beta"] = .number(beta)
      }
      let range = alignment.fittedRangeMeters
      members["inlierRatio"] = .rounded(alignment.inlierRatio, decimals: 6)
      members["medianRelativeResidual"] = .rounded(alignment.medianRelativeResidual, decimals: 6)
      members["rmseMeters"] = .rounded(alignment.rmseMeters, decimals: 6)
      members["fittedRangeMeters"] = .array(
        [range.lowerBound, range.upperBound].map { .rounded($0, decimals: 6) })
    }
    if let method { members["method"] = .string(method.rawValue) }
    if let sensor {
      members["sensor"] = [
        "kind": .string(sensor.kind.rawValue),
        "maximumRangeMeters": sensor.maximumRange.map(JSONValue.number) ?? .null,
      ]
    }
    if let quality {
      members["repeatability"] = quality.json
      members["expectedErrorMeters"] =
        .rounded(quality.expectedError, decimals: 6)
    }
    if let shares {
      members["sources"] = .object(
        Dictionary(
          uniqueKeysWithValues: DepthState.allCases.map {
            ($0.name, .rounded(shares[$0] ?? 0, decimals: 4))
          }))
    }
    return .object(members)
  }
}
