import FileFormats
import NNRuntime
import ONNX

/// Runs a network of an ONNX file on the same values repeatedly, for a profile.
package struct LoweredRecorder: ProfiledRun {
  private let network: LoweredNetwork
  private let values: NameTable<ONNX.Value>

  package let name: String
  package let kernels: String
  package let threads: Int
  /// Layers of islands, and nodes that are computed by their definition, in running order.
  package let rows: [NetworkProfile.Row]
  private let liveBytes: [Int]

  /// `name`: of the network, in reports.
  package init(_ network: LoweredNetwork, values: NameTable<ONNX.Value>, name: String, threads: Int) {
    self.network = network
    self.values = values
    self.name = name
    self.threads = threads
    kernels = network.sessions.first?.plan.kernelName ?? "definition"
    var rows: [NetworkProfile.Row] = []
    var liveBytes: [Int] = []
    for stage in network.stages {
      switch stage {
      case .island(let island):
        rows += island.session.plan.profileRows
        liveBytes += island.session.plan.liveBytes
      case .plain(let nodes):
        rows += nodes.map { network.row(of: $0) }
        liveBytes += nodes.map { _ in 0 }
      }
    }
    self.rows = rows
    self.liveBytes = liveBytes
  }

  package func plainRun() throws -> Range<UInt64> {
    let begin = monotonicNanoseconds()
    _ = try network.run(values)
    return begin..<monotonicNanoseconds()
  }

  package func observedRun(chunks: Bool) throws -> RunTrace {
    let tracks = chunks ? (0..<threads).map { _ in ChunkTrack() } : []
    var layers: [RunTrace.Span] = []
    layers.reserveCapacity(rows.count)
    let begin = monotonicNanoseconds()
    var slots = try network.filled(values)
    let filled = monotonicNanoseconds()
    var first = 0
    for stage in network.stages {
      switch stage {
      case .island(let island):
        let offset = first
        var record: (@Sendable (Int, Int, Range<UInt64>) -> Void)?
        if chunks { record = { tracks[$0].append(RunTrace.Span(layer: offset + $1, time: $2)) } }
        try island.run(
          &slots, layer: { layers.append(RunTrace.Span(layer: offset + $0, time: $1)) }, chunk: record)
        first += island.session.plan.layers.count
      case .plain(let nodes):
        for node in nodes {
          let start = monotonicNanoseconds()
          try network.run(node, &slots)
          let time = start..<monotonicNanoseconds()
          layers.append(RunTrace.Span(layer: first, time: time))
          if chunks { tracks[0].append(RunTrace.Span(layer: first, time: time)) }
          first += 1
        }
      }
    }
    let read = monotonicNanoseconds()
    _ = try network.results(slots)
    let end = monotonicNanoseconds()
    return RunTrace(
      whole: begin..<end, input: begin..<filled, output: read..<end, layers: layers,
      chunks: tracks.map { $0.spans() }, names: rows.map(\.name), liveBytes: liveBytes)
  }
}

extension LoweredNetwork {
  /// A node that is computed by its definition.
  fileprivate func row(of node: ProgramNode) -> NetworkProfile.Row {
    func shapes(_ slots: [Int?]) -> String {
      slots.compactMap(\.self).compactMap { program.kinds[$0] }
        .map { $0.shape.isEmpty ? "1" : $0.shape.map(String.init).joined(separator: "x") }
        .joined(separator: " ")
    }
    return NetworkProfile.Row(
      name: node.name, operation: node.steps.map(\.type).joined(separator: " "), algorithm: "definition",
      shape: shapes(node.inputs) + " -> " + shapes(node.outputs), times: [])
  }
}
