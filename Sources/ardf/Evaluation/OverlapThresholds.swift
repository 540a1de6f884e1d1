/// The overlaps at which a detection counts as found: .50, .55 and so on to .95.
package enum OverlapThresholds {
  /// How many.
  package static let count = 10

  /// In double precision, as NumPy's `linspace` makes them for COCO's tools.
  static let double: [Double] = {
    let step: Double = (0.95 - 0.5) / Double(count - 1)
    return (0..<count).map { (index: Int) -> Double in
      index == count - 1 ? 0.95 : Double(index) * step + 0.5
    }
  }()

  /// In single precision, as PyTorch's `linspace` makes them for Ultralytics: from both ends.
  static let single: [Float] = (0..<count).map { index in
    let step = (Float(0.95) - Float(0.5)) / Float(count - 1)
    return index < count / 2
      ? Float(0.5) + step * Float(index) : Float(0.95) - step * Float(count - 1 - index)
  }
}

/// A detection's matches, a bit for each of `OverlapThresholds`.
struct MatchedDetection: Sendable {
  /// Confidence.
  let score: Double
  /// It found a label.
  var found: UInt16 = 0
  /// It is neither right nor wrong: it lies in a crowd.
  var ignored: UInt16 = 0
}

/// Detections and labels of all pictures by class: what an average precision is made of.
struct MatchedClasses: Sendable {
  /// Detections of each class, picture by picture.
  private(set) var detections: [[MatchedDetection]]
  /// Labels of each class that can be missed.
  private(set) var labels: [Int]
  /// Classes with a label of any kind.
  private(set) var isLabeled: [Bool]

  init(classCount: Int) {
    detections = Array(repeating: [], count: classCount)
    labels = Array(repeating: 0, count: classCount)
    isLabeled = Array(repeating: false, count: classCount)
  }

  mutating func add(_ found: [MatchedDetection], of classIndex: Int) { detections[classIndex] += found }

  mutating func addLabels(_ count: Int, of classIndex: Int) {
    labels[classIndex] += count
    isLabeled[classIndex] = true
  }
}

/// Average precision of one class or of several, 0 to 1.
package struct AveragePrecision: Sendable, Equatable {
  /// At each of `OverlapThresholds`.
  package let atThresholds: [Double]

  /// At an overlap of .5.
  package var at50: Double { atThresholds[0] }
  /// The mean over overlaps from .5 to .95.
  package var mean: Double { atThresholds.reduce(0, +) / Double(atThresholds.count) }

  /// The mean of several classes; nil of none.
  init?(mean classes: [AveragePrecision]) {
    guard !classes.isEmpty else { return nil }
    atThresholds = (0..<OverlapThresholds.count).map { index in
      classes.reduce(0) { $0 + $1.atThresholds[index] } / Double(classes.count)
    }
  }

  init(atThresholds: [Double]) { self.atThresholds = atThresholds }
}
