import FileFormats
import HTTPServing
import InferenceProtocol
import Synchronization

/// Limits on requests.
package struct InferenceLimits: Sendable {
  /// Bytes of one body.
  package var bodyBytes = 64 << 20
  /// Most time from a request's head to its answer.
  package var timeout = Duration.seconds(60)
  /// Limits on a request's tensors.
  package var tensors = ProtocolLimits()

  /// The limits.
  package init() {}
}

/// Answers requests of the Open Inference Protocol (KServe V2) over HTTP.
///
/// | request | answer |
/// |---|---|
/// | `GET /v2/health/live`, `/ready` | whether it runs, and takes requests |
/// | `GET /v2` | the server's metadata |
/// | `GET /v2/models` | the models' names |
/// | `GET /v2/models/M`, `/ready`, `/config` | a model's metadata, state and Triton configuration |
/// | `POST /v2/models/M/infer` | inference |
/// | `POST /v2/repository/index` | the models and their states |
/// | `GET /metrics` | counts and times, for Prometheus |
///
/// `/versions/1` may follow a model's name. `DeepStackService` answers `v1`, if it is enabled.
package final class InferenceService: RequestHandler {
  private let models: NameTable<any ServedModel>
  private let names: [String]
  private let queue: InferenceQueue
  private let access: AccessGuard
  private let limits: InferenceLimits
  private let metrics: Metrics
  private let end: GracefulShutdown
  private let version: String
  private let deepStack: DeepStackService?
  /// Called with the log entry of each request; nil for no log.
  private let log: (@Sendable (JSONValue) -> Void)?
  /// The threads that parse and write JSON, so that long documents delay neither connections nor workers.
  private let reading = DedicatedExecutor(name: "ardf.read", count: 2)
  private let writing = DedicatedExecutor(name: "ardf.write", count: 2)

  /// A service of models, whose names must differ.
  package init(
    models: [any ServedModel], queue: InferenceQueue, access: AccessGuard, metrics: Metrics,
    end: GracefulShutdown, version: String, limits: InferenceLimits = InferenceLimits(),
    deepStack: DeepStackService? = nil, log: (@Sendable (JSONValue) -> Void)? = nil
  ) {
    self.deepStack = deepStack
    names = models.map(\.description.name)
    self.models = NameTable(models.map { ($0.description.name, $0) })
    (self.queue, self.access, self.metrics, self.end) = (queue, access, metrics, end)
    (self.version, self.limits, self.log) = (version, limits, log)
  }

  package func connectionsChanged(to count: Int) { metrics.connections(count) }

  package func refused(_ refusal: Refusal) async {
    metrics.answered(status: refusal.status.rawValue)
    metrics.failed(refusal.kind)
  }

  package func answer(_ request: Request) async -> Response {
    let began = queue.waiting.now
    var entry = LogEntry(request)
    let response: Response
    do {
      response = try await carryOut(request, began: began, entry: &entry)
    } catch {
      let refusal = Self.refusal(error)
      metrics.failed(Self.isAbandonment(error) ? "abandoned" : refusal.kind)
      entry.error = refusal.message
      response =
        deepStack != nil && request.head.path.first == "v1"
        ? DeepStackService.refused(refusal) : .refused(refusal)
    }
    metrics.answered(status: response.status.rawValue)
    log?(entry.json(response, took: queue.waiting.now - began))
    return response
  }

  /// Whether the client no longer waits for an answer.
  private static func isAbandonment(_ error: any Error) -> Bool {
    switch error {
    case InferenceQueue.Failure.abandoned, is UnwantedCall, is CancellationError, is ClientConnection.Closed:
      true
    default: false
    }
  }

  /// The answer for an error; internal errors are not disclosed.
  private static func refusal(_ error: any Error) -> Refusal {
    switch error {
    case let refusal as Refusal: refusal
    case let error as ProtocolError: .badRequest("\(error)")
    case let error as UnfitInput: .badRequest("\(error)")
    case InferenceQueue.Failure.full:
      .overloaded("the queue is full; try again, or ask another server", retryAfter: 1)
    case InferenceQueue.Failure.deadline: .deadline
    case _ where isAbandonment(error): .overloaded("the client closed the connection", retryAfter: 1)
    default: .failed("the model failed on this request: \(error)")
    }
  }

  // MARK: - Routes

  private func carryOut(
    _ request: Request, began: ContinuousClock.Instant, entry: inout LogEntry
  ) async throws -> Response {
    let head = request.head
    var path = head.path
    let isHealth = path.count == 3 && path[0] == "v2" && path[1] == "health"
    if let deepStack, path.first == "v1" {
      // The token may be in the body.
      try access.check(head, isOpen: true)
      return try await answer(deepStack, request, began: began, entry: &entry)
    }
    try access.check(head, isOpen: isHealth)
    if path == ["metrics"] {
      try Self.check(head, is: "GET")
      let text = metrics.text(
        queueLength: queue.length, heldBytes: request.memory.heldByAll,
        residentBytes: ResidentMemory.bytes())
      return .answer(Array(text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    }
    guard path.first == "v2" else { throw Self.noSuchPath }
    path.removeFirst()
    switch path.first {
    case nil: return try description(of: head)
    case "health": return try health(path, head)
    case "repository" where path == ["repository", "index"]:
      try Self.check(head, is: "POST")
      return .answer(
        .array(
          names.map { ["name": .string($0), "version": .string(ModelDescription.version), "state": "READY"] })
      )
    case "models" where path.count == 1:
      try Self.check(head, is: "GET")
      return .answer(["models": .array(names.map(JSONValue.string))])
    case "models": return try await model(Array(path.dropFirst()), request, began: began, entry: &entry)
    default: throw Self.noSuchPath
    }
  }

  private static let noSuchPath = Refusal.missing(
    "no such path; GET /v2/models lists the models, and POST /v2/models/NAME/infer asks one of them")

  private static func check(
    _ head: RequestHead, is method: String, remedy: String? = nil
  ) throws(Refusal) {
    let methods = method == "GET" ? ["GET", "HEAD"] : [method]
    guard methods.contains(head.method) else {
      throw .notAllowed(methods, remedy: remedy)
    }
  }

  /// Refuses a query in an inference address, since it would be ignored.
  private static func checkQuery(_ head: RequestHead, place: String) throws(Refusal) {
    guard head.query.isEmpty else {
      throw .badRequest(
        "?\(printableName(head.query)): nothing is asked for in the address; say it in \(place)")
    }
  }

  private func description(of head: RequestHead) throws -> Response {
    try Self.check(head, is: "GET")
    return .answer(ServerDescription.metadata(version: version))
  }

  private func health(_ path: [String], _ head: RequestHead) throws -> Response {
    try Self.check(head, is: "GET")
    switch path {
    case ["health", "live"]: return .answer(["live": true])
    case ["health", "ready"]:
      return .answer(["ready": .bool(!end.hasBegun)], status: end.hasBegun ? .busy : .ok)
    default: throw Refusal.notFound
    }
  }

  private func model(
    _ path: [String], _ request: Request, began: ContinuousClock.Instant, entry: inout LogEntry
  ) async throws -> Response {
    guard let model = models[path[0]] else {
      throw UnknownModel(name: path[0], known: names).refusal
    }
    let name = path[0]
    entry.model = name
    var rest = path.dropFirst()
    if rest.first == "versions" {
      guard rest.dropFirst().first == ModelDescription.version else {
        throw UnknownModel(name: path.joined(separator: "/"), known: names).refusal
      }
      rest = rest.dropFirst(2)
    }
    switch Array(rest) {
    case []:
      try Self.check(
        request.head, is: "GET", remedy: "inference is POST /v2/models/\(path.joined(separator: "/"))/infer")
      return .answer(model.description.metadata)
    case ["ready"]:
      try Self.check(request.head, is: "GET")
      return .answer(
        ["name": .string(name), "ready": .bool(!end.hasBegun)], status: end.hasBegun ? .busy : .ok)
    case ["config"]:
      try Self.check(request.head, is: "GET")
      return .answer(model.description.configuration)
    case ["infer"]:
      try Self.check(request.head, is: "POST")
      try Self.checkQuery(request.head, place: "the request's \"parameters\"")
      let response = try await infer(model, request, began: began, entry: &entry)
      metrics.inferred(name)
      metrics.took(queue.waiting.now - began, model: name)
      return response
    default: throw Refusal.notFound
    }
  }

  // MARK: - Inference

  /// Reads a request's body and makes tensors of it.
  ///
  /// Requests that wait in the queue hold these tensors, and neither the body nor its JSON.
  private func read(
    _ request: Request, for model: ModelDescription
  ) async throws -> (InferenceRequest, NameTable<ProtocolTensor>) {
    let (tensorLimits, memory) = (limits.tensors, request.memory)
    let given = request.head.fields["inference-header-content-length"]
    let type = request.head.fields["content-type"]?.lowercased() ?? ""
    guard given != nil || !type.hasPrefix("multipart/") else {
      throw Refusal.unsupportedMedia(
        "no form is taken here; send a picture as it is (curl --data-binary @FILE), or the protocol's JSON")
    }
    let body = try await request.body(limit: limits.bodyBytes)
    // A picture as it is, answered in JSON.
    let isPicture = given == nil && (type.hasPrefix("image/") || Self.isPicture(body))
    let headerLength = isPicture ? "0" : given
    let (inference, tensors, held) = try await Task(executorPreference: reading) {
      let values = InferenceRequest.parsingBytes(of: body, headerLength: headerLength, limits: tensorLimits)
      return try memory.holding(values) {
        let inference =
          isPicture
          ? InferenceRequest(elements: body, prefersBinary: false, limits: tensorLimits)
          : try InferenceRequest(body, headerLength: headerLength, limits: tensorLimits)
        try inference.check(for: model)
        let held = inference.tensorBytes
        try memory.take(held)
        return (inference.withoutInputs, try inference.tensors(for: model), held)
      }
    }.value
    try memory.hold(held)
    return (inference, tensors)
  }

  /// Whether a body begins like a picture file, which no JSON does; some clients send pictures with a wrong type.
  private static func isPicture(_ body: [UInt8]) -> Bool {
    let (start, brand) = (body.prefix(4), body.dropFirst(4).prefix(8))
    return start.starts(with: [0xff, 0xd8, 0xff]) || start.elementsEqual([0x89, 0x50, 0x4e, 0x47])
      || start.elementsEqual("RIFF".utf8) && brand.dropFirst(4).elementsEqual("WEBP".utf8)
      || start.first == 0 && brand.starts(with: "ftyp".utf8)
  }

  private func infer(
    _ model: any ServedModel, _ request: Request, began: ContinuousClock.Instant, entry: inout LogEntry
  ) async throws -> Response {
    try checkBody(request.head)
    let memory = request.memory
    let (inference, tensors) = try await read(request, for: model.description)
    entry.id = inference.id
    let outputs = try await outputs(of: model, inference, tensors, request, began: began)
    // The worker is free for the next request.
    let answer = try await Task(executorPreference: writing) {
      let plan = InferenceResponse.Plan(outputs, of: model.description, to: inference)
      try memory.take(plan.mostBytes)
      return InferenceResponse(plan)
    }.value
    guard let headerLength = answer.headerLength else {
      return .answer(answer.body, type: "application/json")
    }
    return .answer(
      answer.body, type: "application/octet-stream",
      fields: ["Inference-Header-Content-Length": "\(headerLength)"])
  }

  private func checkBody(_ head: RequestHead) throws(Refusal) {
    if let encoding = head.fields["content-encoding"], encoding.lowercased() != "identity" {
      throw .unsupportedMedia("send the body as it is, without Content-Encoding")
    }
    guard head.bodyBytes <= limits.bodyBytes else { throw .tooLarge(limit: limits.bodyBytes) }
  }

  /// Waits for a worker, and runs the model.
  private func outputs(
    of model: any ServedModel, _ inference: InferenceRequest, _ tensors: NameTable<ProtocolTensor>,
    _ request: Request, began: ContinuousClock.Instant
  ) async throws -> [ProtocolTensor] {
    let (memory, name) = (request.memory, model.description.name)
    let deadline = began + min(try inference.timeout() ?? limits.timeout, limits.timeout)
    let (metrics, waiting, queued) = (metrics, queue.waiting, queue.waiting.now)
    return try await queue.run(until: deadline, isAbandoned: { request.isAbandoned }) { worker, isWanted in
      let started = waiting.now
      metrics.waited(started - queued, model: name)
      let call = InferenceCall(
        inputs: tensors, request: inference, worker: worker, memory: memory, isWanted: isWanted)
      let outputs = try model.infer(call)
      try call.checkWanted()
      metrics.computed(waiting.now - started, model: name)
      return outputs
    }
  }

  // MARK: - DeepStack

  /// Whether the head, or a form's `api_key`, has the token.
  private func isAllowed(toList request: Request) async throws -> Bool {
    let (head, access) = (request.head, access)
    try access.check(head, isOpen: true)
    guard !access.hasToken(head), head.method == "POST" else { return access.hasToken(head) }
    try checkBody(head)
    let body = try await request.body(limit: DeepStackService.mostListBytes)
    return DeepStackService.hasKey(body, contentType: head.fields["content-type"], isKnown: access.isToken)
  }

  private func answer(
    _ service: DeepStackService, _ request: Request, began: ContinuousClock.Instant, entry: inout LogEntry
  ) async throws -> Response {
    let (head, access) = (request.head, access)
    let asked = try service.asked(by: head)
    if case .list = asked {
      guard try await isAllowed(toList: request) else { throw Refusal.unauthorized }
      return .answer(["success": true, "models": [.string(service.network)]])
    }
    try Self.checkQuery(head, place: "the form")
    guard let model = models[service.model] else { throw Refusal.notFound }
    entry.model = service.model
    try checkBody(head)
    let body = try await request.body(limit: limits.bodyBytes)
    let (memory, description) = (request.memory, model.description)
    let (inference, tensors, held) = try await Task(executorPreference: reading) {
      try memory.holding(body.count) {
        let inference = try DeepStackService.request(body, contentType: head.fields["content-type"]) {
          access.hasToken(head) || access.isToken($0)
        }
        let held = inference.tensorBytes
        try memory.take(held)
        return (inference.withoutInputs, try inference.tensors(for: description), held)
      }
    }.value
    try memory.hold(held)
    let outputs = try await outputs(of: model, inference, tensors, request, began: began)
    metrics.inferred(service.model)
    metrics.took(queue.waiting.now - began, model: service.model)
    return .answer(DeepStackService.answer(outputs))
  }
}

/// A model that is not loaded.
private struct UnknownModel {
  let name: String
  let known: [String]

  var refusal: Refusal {
    .missing("unknown model \(printableName(name)); there are \(known.joined(separator: ", "))")
  }
}
