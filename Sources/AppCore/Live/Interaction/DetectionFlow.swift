import FileFormats

/// A part of the app that may have to load before the first detection.
public enum Preload: String, Sendable, CaseIterable {
  case detector, depth, effects
}

/// The way of a user through the app, from loading to placed effects: which step, and what may happen in it.
///
/// A value: events either move it on or are rejected and change nothing.
public struct DetectionFlow: Sendable, Equatable {
  /// Where the user is.
  public enum Phase: Sendable, Equatable {
    /// Models load; what failed is named with its reason.
    case loading
    /// The camera's picture with the effects placed so far.
    case live
    /// The networks work on a snapshot.
    case detecting
    /// The snapshot's results.
    case results
    /// An effect is chosen for an object.
    case picking(objectId: Int)
  }

  /// An event from the user or the app that may change the phase.
  public enum Event: Sendable, Equatable {
    /// Something is ready.
    case loaded(Preload)
    /// Something could not be loaded.
    case loadFailed(Preload, reason: String)
    /// The user asks to load again what failed.
    case retryLoading
    /// The user asks for a detection: from the live view, or again while one runs.
    case detect
    /// A detection ended with this number of objects.
    case detected(objects: Int)
    /// A detection failed.
    case detectionFailed(reason: String)
    /// The user gave up a detection.
    case cancelDetection
    /// The user tapped an object of the results.
    case tap(objectId: Int)
    /// The user chose an effect for the tapped object.
    case choose(EffectType)
    /// The user closed the picker.
    case dismissPicker
    /// The user left the results: queued effects are placed, the snapshot is let go.
    case back
  }

  /// Where the user is.
  public private(set) var phase = Phase.loading
  /// The parts that are loaded.
  public private(set) var ready: Set<Preload> = []
  /// The parts that could not be loaded, with the reasons.
  public private(set) var failures: [Preload: String] = [:]
  /// The last detection's error; nil where it succeeded.
  public private(set) var lastFailure: String?
  /// The parts that must load before detections are allowed.
  public let required: Set<Preload>

  /// A flow that loads; what is not required counts as ready.
  public init(requiring required: Set<Preload> = Set(Preload.allCases)) {
    self.required = required
    if required.isEmpty { phase = .live }
  }

  /// Whether a detection may be asked for.
  public var canDetect: Bool { phase == .live || phase == .detecting }

  /// Takes an event in.
  ///
  /// - Throws: `FlowError.illegal` where the event has no meaning in this phase; nothing changes then.
  public mutating func take(_ event: Event) throws(FlowError) {
    switch (phase, event) {
    case (.loading, .loaded(let part)) where required.contains(part):
      ready.insert(part)
      failures[part] = nil
      if ready == required { phase = .live }
    case (.loading, .loadFailed(let part, let reason)) where required.contains(part) && !ready.contains(part):
      failures[part] = reason
    case (.loading, .retryLoading) where !failures.isEmpty: failures = [:]
    case (.live, .detect), (.detecting, .detect):
      phase = .detecting
      lastFailure = nil
    // Without objects there is nothing to show: the view stays live.
    case (.detecting, .detected(let count)): phase = count > 0 ? .results : .live
    case (.detecting, .detectionFailed(let reason)):
      phase = .live
      lastFailure = reason
    case (.detecting, .cancelDetection): phase = .live
    case (.results, .tap(let id)): phase = .picking(objectId: id)
    case (.picking, .choose), (.picking, .dismissPicker): phase = .results
    case (.results, .back): phase = .live
    default: throw .illegal(event: event, phase: phase)
    }
  }
}

/// Why an event was rejected.
public enum FlowError: Error, Equatable, CustomStringConvertible {
  /// The event has no meaning in this phase.
  case illegal(event: DetectionFlow.Event, phase: DetectionFlow.Phase)
  /// There is no such object in the results.
  case noSuchObject(Int)
  /// The object cannot take the effect.
  case placement(PlacementError)

  /// The reason.
  public var description: String {
    switch self {
    case .illegal(let event, let phase): "\(event) is not possible while \(phase)"
    case .noSuchObject(let id): "the results have no object \(id); tap one of those shown"
    case .placement(let error): error.description
    }
  }
}

extension FlowError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .usage }
}
