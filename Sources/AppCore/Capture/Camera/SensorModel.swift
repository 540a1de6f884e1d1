import FileFormats
import Imaging

/// How far the readings of a depth sensor scatter: the standard deviation of planar depth Z is constant + share * Z +
/// quadratic * Z^2.
public struct SensorNoise: Sendable, Equatable {
  /// The part that is the same at any distance, meters.
  public let constant: Double
  /// The part in proportion to Z.
  public let share: Double
  /// The part with the square of Z, 1/m: the effect of a fixed error of disparity.
  public let quadratic: Double
  /// Whether it grows with one over the cosine of the angle of incidence; false where that is not known.
  public let growsWithSlant: Bool

  /// The least cosine of incidence that counts: at more slant readings are lost, not noisier.
  public static let leastCosine = 0.2

  /// A standard deviation of `constant` + `share` * Z + `quadratic` * Z^2.
  public init(
    constant: Double = 0, share: Double = 0, quadratic: Double = 0, growsWithSlant: Bool = false
  ) {
    self.constant = constant
    self.share = share
    self.quadratic = quadratic
    self.growsWithSlant = growsWithSlant
  }

  /// The standard deviation in meters of a reading of `meters` on a surface that the ray meets at an angle of
  /// incidence of that cosine.
  public func deviation(at meters: Double, cosine: Double = 1) -> Double {
    let straight = constant + (share + quadratic * meters) * meters
    return growsWithSlant ? straight / max(cosine, Self.leastCosine) : straight
  }
}

/// Model of the sensor that gave a capture's depth: growth of its noise, and range.
public struct SensorModel: Sendable, Equatable {
  /// Families of sensors that err alike.
  public enum Kind: String, Sendable, CaseIterable {
    /// A phone's time-of-flight sensor; its confidence says which readings count.
    case lidar
    /// A projected pattern and a camera next to the projector: Kinect of 2010, Structure Sensor, PrimeSense.
    case structuredLight = "structured-light"
    /// Two cameras, as of RealSense.
    case stereo
    /// A camera that times modulated light: Azure Kinect, Kinect of 2013.
    case tof
    /// An unknown sensor; its error is taken as proportional to depth.
    case unknown
  }

  /// Its family.
  public var kind: Kind
  /// The greatest distance of a reading that counts, meters; nil where no range is stated, and all count.
  public var maximumRange: Double?

  /// A sensor of a family, without a range unless one is stated.
  public init(_ kind: Kind = .unknown, maximumRange: Double? = nil) {
    self.kind = kind
    self.maximumRange = maximumRange
  }

  /// How its readings scatter among those a few cells away: what fusion weighs them by.
  ///
  /// `errors` has the parts and their sources.
  public var noise: SensorNoise {
    switch kind {
    case .lidar: SensorNoise(share: 0.003, growsWithSlant: true)
    case .structuredLight: SensorNoise(quadratic: 0.001425)
    case .stereo: SensorNoise(quadratic: 0.0038)
    case .tof: SensorNoise(share: 0.0044)
    case .unknown: SensorNoise(share: 0.003)
    }
  }

  /// Which of its readings count.
  public var rules: SensorRules {
    SensorRules(range: SensorRules.nearest...(maximumRange.map { Float($0) } ?? .greatestFiniteMagnitude))
  }

  /// Its noise and range, for people.
  public var words: String {
    let noise =
      switch kind {
      case .lidar:
        "noise 0.3 % of depth over the cosine of incidence; readings of the highest confidence count"
      case .structuredLight: "noise 1.4 mm at 1 m, growing with the square of depth"
      case .stereo: "noise 3.8 mm at 1 m, growing with the square of depth"
      case .tof: "noise 0.44 % of depth"
      case .unknown: "noise taken as 0.3 % of depth"
      }
    let alike =
      switch kind {
      case .lidar: "; neighbors err alike by 0.6 %, whole frames by 1 %"
      case .structuredLight: "; neighbors err alike by most of it"
      case .stereo: "; neighbors err alike by most of it, whole frames by 1.2 %"
      case .tof: "; neighbors err alike by 4.5 mm, and whole frames too"
      case .unknown: ""
      }
    return "\(kind.rawValue), \(noise)\(alike)"
  }
}

/// Which readings of a depth sensor count.
public struct SensorRules: Sendable, Equatable {
  /// Accepted depth in meters, both ends included.
  public var range: ClosedRange<Float>
  /// The least accepted confidence, 0 to 2.
  public var minimumConfidence: UInt8

  /// The least distance of a reading, meters; nearer ones are discarded.
  public static let nearest: Float = 0.1

  /// Rules; by default readings of the highest confidence at whatever distance: the sensor says by its confidence how
  /// far it reads.
  public init(
    range: ClosedRange<Float> = nearest...Float.greatestFiniteMagnitude, minimumConfidence: UInt8 = 2
  ) {
    self.range = range
    self.minimumConfidence = minimumConfidence
  }
}

extension CapturedFrame {
  /// A note for people that readings beyond the range were left out; nil where all count.
  package var rangeNote: String? {
    guard let range = sensor.maximumRange, readingsBeyondRange > 0 else { return nil }
    let beyond = "beyond the range of \(range) m"
    return counted(readingsBeyondRange, "depth reading \(beyond) does", "depth readings \(beyond) do")
      + " not count"
  }

  /// How many readings of the highest confidence do not count because they lie beyond the sensor's stated range.
  public var readingsBeyondRange: Int {
    guard let depth, let range = sensor.maximumRange else { return 0 }
    let least = sensor.rules.minimumConfidence
    return depth.elements.indices.count { index in
      depth.elements[index] > Float(range) && (confidence.map { $0.elements[index] >= least } ?? true)
    }
  }
}
