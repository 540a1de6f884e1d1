import FileFormats
import Imaging
import Synchronization

/// How sure a detector must be, and how much boxes may overlap: what a user sets while detections run.
public struct AdjustableThresholds: Sendable, Equatable {
  /// Scores must be strictly greater.
  public let confidence: Float
  /// Overlap of two boxes of a class above which only the better is kept.
  public let overlap: Float

  /// The app's: 0.75 and 0.5.
  public static let standard = AdjustableThresholds(unchecked: 0.75, 0.5)

  private init(unchecked confidence: Float, _ overlap: Float) {
    self.confidence = confidence
    self.overlap = overlap
  }

  /// AdjustableThresholds from a user's numbers.
  ///
  /// - Throws: `ThresholdError` outside [0, 1].
  public init(confidence: Float, overlap: Float) throws(ThresholdError) {
    guard (0...1).contains(confidence) else { throw .outOfRange(name: "confidence", value: confidence) }
    guard (0...1).contains(overlap) else { throw .outOfRange(name: "overlap", value: overlap) }
    self.init(unchecked: confidence, overlap)
  }

  /// The content of a settings file.
  package var json: JSONValue {
    [
      "schema": .string(Self.schema), "confidence": .rounded(Double(confidence), decimals: 6),
      "overlap": .rounded(Double(overlap), decimals: 6),
    ]
  }

  /// AdjustableThresholds from a settings file.
  ///
  /// - Throws: `ThresholdError`.
  package init(json: JSONValue) throws(ThresholdError) {
    guard json["schema"]?.string == Self.schema else { throw .schema(found: json["schema"]?.string) }
    guard let confidence = json["confidence"]?.number else { throw .missing("confidence") }
    guard let overlap = json["overlap"]?.number else { throw .missing("overlap") }
    try self.init(confidence: Float(confidence), overlap: Float(overlap))
  }

  /// The schema name in a settings file.
  public static let schema = "ardf.thresholds/1"
}

/// A threshold that cannot be used.
public enum ThresholdError: Error, Equatable, CustomStringConvertible {
  /// A number outside [0, 1].
  case outOfRange(name: String, value: Float)
  /// The settings are of another layout.
  case schema(found: String?)
  /// A number is missing.
  case missing(String)

  /// The defect and what to do.
  public var description: String {
    switch self {
    case .outOfRange(let name, let value): "\(name) threshold \(value): give a number from 0 to 1"
    case .schema(let found):
      "settings have schema \(found ?? "none"), expected \(AdjustableThresholds.schema)"
    case .missing(let name): "settings lack the number \(name); add it"
    }
  }
}

/// The thresholds that the next detection will use: set by a user at any time, from any thread.
public final class ThresholdStore: Sendable {
  private let stored: Mutex<AdjustableThresholds>

  /// A store with first values.
  public init(_ thresholds: AdjustableThresholds = .standard) { stored = Mutex(thresholds) }

  /// The values now; a change reaches the next detection, never one under way.
  public var current: AdjustableThresholds {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}

/// A network whose thresholds are given with every picture.
public protocol AdjustableDetector: Sendable {
  /// The objects of an upright picture, in its own pixels.
  func detect(in picture: RGBImage, thresholds: AdjustableThresholds) async throws -> [UprightDetection]
}

/// A detector that takes its thresholds from a store, once a picture, as it starts on it.
public struct ThresholdedDetector: Detector {
  private let network: any AdjustableDetector
  private let store: ThresholdStore

  /// A detector over a network.
  public init(_ network: any AdjustableDetector, store: ThresholdStore) {
    self.network = network
    self.store = store
  }

  /// The objects above the store's thresholds, in pixels of the upright picture.
  ///
  /// - Throws: what the network throws.
  public func detect(in picture: RGBImage) async throws -> [UprightDetection] {
    try await network.detect(in: picture, thresholds: store.current)
  }
}

extension ThresholdError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .usage }
}
