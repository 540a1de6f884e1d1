import FileFormats
import Geometry

/// The search for a part that is missing of a box: where, of a few hundred places, one explains the readings best.
struct NotchSearch {
  /// Number of places along each side at which ends of a notch are tried.
  private static let places = 8
  /// Readings that take part.
  private static let readings = 400
  /// Where the best place explains a lesser share, no sweep will do.
  private static let hopeless = 0.5
  /// Most level surfaces that are tried, each with at least this share of the readings.
  private static let most = 3
  private static let leastShare = 0.05

  private let likelihood: SolidLikelihood
  private let object: CellSet
  private let bottom: Double
  /// Heights of the object's level surfaces.
  private let levels: [Double]

  init(_ readings: SolidReadings) {
    likelihood = readings.likelihood.thinned(to: Self.readings)
    object = readings.object
    bottom = readings.bottom
    levels = gatherings(
      of: ascending(readings.heights), band: readings.levelBand, most: Self.most,
      least: Int(clamping: Self.leastShare * Double(readings.heights.count))
    ).map(\.mean)
  }

  /// The box with one notch more; nil where no notch explains more.
  func notched(_ box: FittedBox) -> FittedBox? {
    let steps = levels.filter {
      bottom + 0.1 * (box.top - bottom) < $0 && $0 < box.top - 0.1 * (box.top - bottom)
    }
    let notches = Self.corners(box, floors: [bottom] + steps) + Self.strips(box, floors: steps)
    let changes = likelihood.changes(of: box, by: notches)
    guard let best = changes.indices.min(by: { changes[$0] < changes[$1] }), changes[best] < 0 else {
      return nil
    }
    var notched = box
    notched.notches.append(notches[best])
    return likelihood.explained(notched, object: object) > Self.hopeless ? notched : nil
  }

  private static func corners(_ box: FittedBox, floors: [Double]) -> [Notch] {
    floors.flatMap { floor in
      [0, 1].flatMap { side in
        [2, 3].flatMap { other in
          (1..<places).flatMap { along in
            (1..<places).map { across in
              Notch(
                reaches: SIMD4(
                  lowHalf: ends(box, side, along), highHalf: ends(box, other, across)), floor: floor)
            }
          }
        }
      }
    }
  }

  /// Notches along a whole side.
  private static func strips(_ box: FittedBox, floors: [Double]) -> [Notch] {
    let open = SIMD2(repeating: Double.infinity)
    return floors.flatMap { floor in
      (1..<places).flatMap { place in
        [0, 1].flatMap { side in
          [
            Notch(reaches: SIMD4(lowHalf: ends(box, side, place), highHalf: open), floor: floor),
            Notch(reaches: SIMD4(lowHalf: open, highHalf: ends(box, 2 + side, place)), floor: floor),
          ]
        }
      }
    }
  }

  /// The reaches along an axis of a notch that is open at one of its sides and takes a share of the box there.
  private static func ends(_ box: FittedBox, _ side: Int, _ place: Int) -> SIMD2<Double> {
    let length = box.reaches[side] + box.reaches[side ^ 1]
    var pair = SIMD2(repeating: Double.infinity)
    pair[1 - side % 2] = length * Double(place) / Double(places) - box.reaches[side]
    return pair
  }
}
