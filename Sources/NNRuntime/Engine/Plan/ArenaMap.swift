/// A part of the arena: what holds which bytes, and when.
package struct ArenaBuffer: Sendable, Equatable {
  /// The layer, or input, whose result it was made for; others may lie inside it.
  package let name: String
  /// First byte in the arena, and number of bytes.
  package let offset, bytes: Int
  /// Indices in `Plan.layers`, first write to last read; an output is held until the number of layers.
  package let lifetime: ClosedRange<Int>
}

extension Plan {
  /// The buffers of the arena, by when they begin and where they lie.
  package var arenaBuffers: [ArenaBuffer] {
    let (buffers, requests) = assignment.requests(graph, elements, retain: options.retain)
    var names: [ValueID: String] = [:]
    for node in graph.nodes + assignment.nodes { names[node.output] = node.fused.last ?? node.name }
    return zip(buffers, requests).map { buffer, request in
      ArenaBuffer(
        name: names[buffer] ?? "", offset: bufferOffsets[buffer]! * MemoryLayout<Float>.stride,
        bytes: request.count * MemoryLayout<Float>.stride, lifetime: request.lifetime)
    }.sorted { ($0.lifetime.lowerBound, $0.offset) < ($1.lifetime.lowerBound, $1.offset) }
  }
}
