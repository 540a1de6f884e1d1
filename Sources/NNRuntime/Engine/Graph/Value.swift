/// A handle of a map that the network computes: what model code passes from layer to layer.
///
/// Names are module paths in the checkpoint's own vocabulary; traces, profiles and errors carry them.
public struct Value {
  let builder: GraphBuilder
  let id: ValueID

  /// Its number in the graph.
  package var number: Int { id }
  /// Height, width and channels.
  public var shape: MapShape { builder.shapes[id] }
}
