/// Classes of a picture, with their probabilities.
public struct Classification: Sendable {
  /// A class of pictures and how likely it is.
  public struct Class: Sendable, Equatable {
    /// Its index in the network's own list.
    public let index: Int
    /// Its name.
    public let name: String
    /// In [0, 1]; those of all classes are 1 together.
    public let probability: Float
  }

  /// All classes, the likeliest first; equal ones by index.
  public let classes: [Class]
  /// How long it took.
  public let timings: StageTimings
}
