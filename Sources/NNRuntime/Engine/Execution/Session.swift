// Running a plan: nothing is allocated and nothing can fail once the session is made.

import NNKernelInterface
import Synchronization

/// One step of a run: chunks that may run side by side.
@safe package struct Step: Sendable {
  /// Index of the layer in its plan.
  var layer: Int
  var chunks: Int
  var scratchFloats: Int
  var body: @Sendable (_ chunk: Int, _ scratch: UnsafeMutablePointer<Float>) -> Void
}

/// A step with its threads' scratch memory bound.
///
/// A structure, not a tuple: a function in a tuple in an array is wrapped anew each time it is read.
private struct BoundStep: Sendable {
  var layer: Int
  var chunks: Int
  var body: @Sendable (_ chunk: Int, _ thread: Int) -> Void
}

/// Memory and packed weights for running a plan again and again.
///
/// One run at a time: calls take turns.
public final class Session: Sendable {
  /// The plan that is run.
  public let plan: Plan
  private let pool: ThreadPool
  private let arena: FloatMemory
  private let steps: [BoundStep]
  private let constants: [ValueID: FloatMemory]
  private let packed: PackedWeights
  private let turn = Mutex<Void>(())

  /// Packs the weights (or takes them from `weights`) and lays out memory.
  public init(_ plan: Plan, pool: ThreadPool = ThreadPool(), weights: PackedWeights = PackedWeights()) {
    self.plan = plan
    self.pool = pool
    packed = weights
    arena = FloatMemory(count: plan.layout.count)
    var builder = StepBuilder(plan: plan, arena: arena, weights: weights, pool: pool)
    let steps = builder.steps()
    constants = builder.constants
    let stride = ((steps.map(\.scratchFloats).max() ?? 0) + 63) / 64 * 64
    let scratch = FloatMemory(count: stride * pool.threads)
    self.steps = steps.map { step in
      BoundStep(
        layer: step.layer, chunks: step.chunks, body: { unsafe step.body($0, scratch.base + $1 * stride) })
    }
  }

  /// A session of the same joined layers with other precisions, which shares packed weights with this one.
  ///
  /// - Throws: `PlanError` for precisions that the kernels lack.
  package func replanned(_ mixed: MixedPrecision) throws(PlanError) -> Session {
    var options = plan.options
    (options.fuse, options.joining, options.mixed) = (false, nil, [plan.name: mixed])
    return Session(try Plan(plan.graph, options: options), pool: pool, weights: packed)
  }

  /// Threads that run it.
  public var threads: Int { pool.threads }

  // Swift 6.3 crashes when it specializes `run`, `profile` or `observedRun` for a caller in this module.

  /// Fills the inputs with `prepare`, runs the network, reads the outputs with `read`.
  @_semantics("optimize.sil.specialize.generic.never")
  public func run<Result>(
    prepare: (borrowing SessionInputs) throws -> Void, read: (borrowing SessionOutputs) throws -> Result
  ) rethrows -> Result {
    try turn.withLock { _ in
      try prepare(SessionInputs(session: self))
      runSteps()
      return try read(SessionOutputs(session: self))
    }
  }

  /// As `run`, telling `observe` the nanoseconds of every layer of the plan.
  @_semantics("optimize.sil.specialize.generic.never")
  public func profile<Result>(
    prepare: (borrowing SessionInputs) throws -> Void,
    observe: (_ layer: Int, _ nanoseconds: UInt64) -> Void,
    read: (borrowing SessionOutputs) throws -> Result
  ) rethrows -> Result {
    try observedRun(
      prepare: prepare, layer: { observe($0, $1.upperBound - $1.lowerBound) }, chunk: nil, read: read)
  }

  /// As `run`, telling `layer` when each layer of the plan ran, and `chunk` when each of its chunks did on
  /// which thread; nanoseconds of the monotonic clock.
  @_semantics("optimize.sil.specialize.generic.never")
  package func observedRun<Result>(
    prepare: (borrowing SessionInputs) throws -> Void,
    layer: (_ layer: Int, _ time: Range<UInt64>) -> Void,
    chunk: (@Sendable (_ thread: Int, _ layer: Int, _ time: Range<UInt64>) -> Void)?,
    read: (borrowing SessionOutputs) throws -> Result
  ) rethrows -> Result {
    try turn.withLock { _ in
      try prepare(SessionInputs(session: self))
      withoutActuallyEscaping(layer) { runSteps(layer: $0, chunk: chunk) }
      return try read(SessionOutputs(session: self))
    }
  }

  private func runSteps(
    layer: ((_ layer: Int, _ time: Range<UInt64>) -> Void)? = nil,
    chunk: (@Sendable (_ thread: Int, _ layer: Int, _ time: Range<UInt64>) -> Void)? = nil
  ) {
    pool.exclusively { turn in
      for step in steps {
        let start = layer == nil ? 0 : monotonicNanoseconds()
        if let chunk {
          turn.run(step.chunks) { index, thread in
            let start = monotonicNanoseconds()
            step.body(index, thread)
            chunk(thread, step.layer, start..<monotonicNanoseconds())
          }
        } else {
          turn.run(step.chunks, step.body)
        }
        layer?(step.layer, start..<monotonicNanoseconds())
      }
    }
  }

  /// As `run`, but a step at a time: `body` advances the run, and may read and change values in between.
  public func stepwise(
    prepare: (borrowing SessionInputs) throws -> Void, body: (SteppedRun) throws -> Void
  ) rethrows {
    try turn.withLock { _ in
      try fill(prepare)
      let run = SteppedRun(session: self)
      defer { run.finish() }
      try body(run)
    }
  }

  /// Not inlined: release builds of Swift 6.3 cannot copy the borrowed inputs into another function.
  @inline(never) private func fill(_ prepare: (borrowing SessionInputs) throws -> Void) rethrows {
    try prepare(SessionInputs(session: self))
  }

  /// Runs step `index` and returns the layer it belongs to; nil after the last step.
  fileprivate func runStep(_ index: Int) -> Int? {
    guard index < steps.count else { return nil }
    pool.run(steps[index].chunks, steps[index].body)
    return steps[index].layer
  }

  /// The elements of a value, channels last, dense.
  fileprivate func read(_ value: ValueID) -> [Float] {
    let shape = plan.assignment.shapes[value]
    let location = plan.assignment.locations[value]
    let memory = constants[location.buffer] ?? arena
    let start = constants[location.buffer] == nil ? plan.bufferOffsets[location.buffer]! : 0
    let element = plan.elements[value]
    let isDense = location.pixelStride == shape.channels && isEven(value)
    return unsafe [Float](unsafeUninitializedCapacity: shape.count) { buffer, count in
      count = shape.count
      guard let target = buffer.baseAddress else { return }
      if element == .float32, isDense {
        unsafe copy(memory.base + (start + location.offset), to: target, count: count)
        return
      }
      for pixel in 0..<shape.batchPixels {
        let source = location.offset(pixel, of: shape)
        for channel in 0..<shape.channels {
          unsafe (target + (pixel * shape.channels + channel)).initialize(
            to: element.element(memory.base + start, source + channel))
        }
      }
    }
  }

  /// Whether the images of a value are as far apart as their pixels are long.
  private func isEven(_ value: ValueID) -> Bool {
    let (shape, location) = (plan.assignment.shapes[value], plan.assignment.locations[value])
    return shape.images == 1 || location.imageStride == shape.pixels * location.pixelStride
  }

  /// Copies floats, many of them on all threads.
  fileprivate func copy(
    _ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, count: Int
  ) {
    nonisolated(unsafe) let (source, target) = unsafe (source, target)
    let chunks = max(1, count / Self.copiedTogether)
    pool.run(chunks) { chunk, _ in
      let (first, end) = (count * chunk / chunks, count * (chunk + 1) / chunks)
      unsafe (target + first).update(from: source + first, count: end - first)
    }
  }

  /// Floats that are worth a thread's waking.
  private static let copiedTogether = 64 * 1024

  /// Whether a value is computed or given, and no constant.
  fileprivate func isInArena(_ value: ValueID) -> Bool {
    constants[plan.assignment.locations[value].buffer] == nil
  }

  /// Runs what makes a layer of the plan again.
  fileprivate func repeatSteps(of layer: Int) {
    for step in steps where step.layer == layer { pool.run(step.chunks, step.body) }
  }

  /// Writes all elements of a value, channels last, dense.
  fileprivate func write(_ elements: [Float], to value: ValueID) {
    let shape = plan.assignment.shapes[value]
    let whole = [shape.images, shape.height, shape.width, shape.channels]
    write(StridedMap(shape: shape, channelsLast: elements, tensorShape: whole), to: value)
  }

  fileprivate func write(_ map: StridedMap, to value: ValueID) {
    let location = plan.assignment.locations[value]
    let buffer = unsafe arena.base + plan.bufferOffsets[location.buffer]!
    let element = plan.elements[value]
    let elements = map.elements.span
    for pixel in 0..<map.shape.batchPixels {
      let target = location.offset(pixel, of: map.shape)
      for channel in 0..<map.shape.channels {
        unsafe element.store(elements[map.index(pixel: pixel, channel: channel)], buffer, target + channel)
      }
    }
  }

  fileprivate func withElements<Result>(
    _ value: ValueID, _ body: (inout MutableSpan<Float>) throws -> Result
  ) rethrows -> Result {
    let location = plan.assignment.locations[value]
    let start = plan.bufferOffsets[location.buffer]! + location.offset
    let count = plan.assignment.shapes[value].count
    let buffer = unsafe UnsafeMutableBufferPointer(start: arena.base + start, count: count)
    var span = unsafe buffer.mutableSpan
    return try body(&span)
  }

  fileprivate func outputElements<Result>(
    _ value: ValueID, _ body: (Span<Float>, Int) throws -> Result
  ) rethrows -> Result {
    let location = plan.assignment.locations[value]
    let shape = plan.assignment.shapes[value]
    guard plan.elements[value] == .float32, isEven(value) else {
      return try body(read(value).span, shape.channels)
    }
    let start = plan.bufferOffsets[location.buffer]! + location.offset
    let count = (shape.batchPixels - 1) * location.pixelStride + shape.channels
    let buffer = unsafe UnsafeBufferPointer(start: UnsafePointer(arena.base + start), count: count)
    return try body(unsafe buffer.span, location.pixelStride)
  }
}

/// A run of a session that stops after every step; good only within `Session.stepwise`.
public final class SteppedRun {
  private let session: Session
  private var next = 0
  private var isOver = false

  fileprivate init(session: Session) { self.session = session }

  fileprivate func finish() { isOver = true }

  /// Runs the next step and returns the index of its layer in the plan; nil at the end.
  public func advance() -> Int? {
    precondition(!isOver, "the run is over")
    defer { next += 1 }
    return session.runStep(next)
  }

  /// Lets `body` read a layer's result in place: its elements, and the floats from one pixel to the next.
  ///
  /// Whole from the layer's step on, until its memory is used again.
  public func withElements<Result>(
    of layer: TracedLayer, _ body: (_ elements: Span<Float>, _ pixelStride: Int) throws -> Result
  ) rethrows -> Result {
    precondition(!isOver, "the run is over")
    return try session.outputElements(layer.value, body)
  }

  /// Returns a layer's output, and its output if `change` were done to each map that its step reads.
  ///
  /// The session's maps are the same afterwards. nil where no step of the layer's own computes it from maps that
  /// change. To be called right after that step, while its inputs still hold.
  ///
  /// Everything is left as it was. nil where no step of its own makes it of anything that changes. Only right after that
  /// step, while its inputs are there.
  package func resultOfChanged(
    _ layer: TracedLayer, _ change: (inout [Float]) -> Void
  ) -> (kept: [Float], changed: [Float])? {
    precondition(!isOver, "the run is over")
    let node = session.plan.assignment.nodes[layer.step]
    let inputs = Set(node.inputs).filter(session.isInArena).sorted()
    guard node.output == layer.value, !inputs.isEmpty else { return nil }
    let before = inputs.map(session.read)
    let kept = session.read(node.output)
    for (input, elements) in zip(inputs, before) {
      var elements = elements
      change(&elements)
      session.write(elements, to: input)
    }
    session.repeatSteps(of: layer.step)
    let changed = session.read(node.output)
    for (input, elements) in zip(inputs, before) { session.write(elements, to: input) }
    session.write(kept, to: node.output)
    return (kept, changed)
  }

  /// Replaces a layer's result with `map`, so that the layers after it read that.
  package func overwrite(_ layer: TracedLayer, with map: StridedMap) {
    precondition(!isOver, "the run is over")
    precondition(map.shape == layer.shape, "\(map.shape) for \(layer.shape)")
    session.write(map, to: layer.value)
  }
}

/// The inputs of a session that is about to run.
public struct SessionInputs: ~Copyable {
  fileprivate let session: Session

  /// The input of that name, with the shape that it takes.
  ///
  /// - Throws: `PortError.noInput`, with the names that there are.
  public func input(_ name: String) throws(PortError) -> GraphInput { try session.plan.input(name) }

  /// Lets `body` write an input: images x height x width x channels floats, channels last.
  ///
  /// The input must be one of a plan of the same graph.
  public func fill<Result>(
    _ input: GraphInput, _ body: (inout MutableSpan<Float>) throws -> Result
  ) rethrows -> Result {
    precondition(session.plan.inputs.contains(input), "\(input.name) is an input of another network")
    return try session.withElements(input.value, body)
  }

  /// Copies `elements`, images x height x width x channels floats, channels last, to an input.
  public func fill(_ input: GraphInput, with elements: [Float]) {
    fill(input) { span in
      precondition(elements.count == span.count, "\(elements.count) floats for \(span.count)")
      unsafe span.withUnsafeMutableBufferPointer { target in
        unsafe elements.withUnsafeBufferPointer { source in
          guard let from = source.baseAddress, let to = target.baseAddress else { return }
          unsafe session.copy(from, to: to, count: source.count)
        }
      }
    }
  }
}

/// The results of a run.
public struct SessionOutputs: ~Copyable {
  fileprivate let session: Session

  /// The output of that name, with the shape that it has.
  ///
  /// - Throws: `PortError.noOutput`, with the names that there are.
  public func output(_ name: String) throws(PortError) -> GraphOutput { try session.plan.output(name) }

  /// The elements of an output, channels last.
  ///
  /// The output must be one of a plan of the same graph.
  public func elements(of output: GraphOutput) -> [Float] { session.read(value(of: output)) }

  /// Lets `body` read an output in place: its elements, and the floats from one pixel to the next.
  public func withElements<Result>(
    of output: GraphOutput, _ body: (_ elements: Span<Float>, _ pixelStride: Int) throws -> Result
  ) rethrows -> Result {
    try session.outputElements(value(of: output), body)
  }

  /// Shape and elements of a layer's result by its name (fused: the name of the last layer joined); nil
  /// where there is no such layer.
  ///
  /// Only whole in plans that retain.
  public func value(named name: String) -> (shape: MapShape, elements: [Float])? {
    let nodes = session.plan.graph.nodes
    guard let node = nodes.last(where: { ($0.fused.last ?? $0.name) == name && $0.partOf == nil }) else {
      return nil
    }
    return (session.plan.assignment.shapes[node.output], session.read(node.output))
  }

  private func value(of output: GraphOutput) -> ValueID {
    precondition(session.plan.outputs.contains(output), "\(output.name) is an output of another network")
    return output.value
  }
}
