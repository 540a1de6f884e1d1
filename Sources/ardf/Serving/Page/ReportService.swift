import FileFormats
import HTTPServing
import Reporting

/// Answers requests for pages, files, placements and uploads.
///
/// | request | answer |
/// |---|---|
/// | `GET /` | the newest frame's page, or one that waits for a drop |
/// | `GET /frames/N` | the page of a frame |
/// | `GET /frames/N/NAME` | one of its files |
/// | `POST /frames/N/place` | places effects |
/// | `POST /frames/N/turn` | `{"page": PATH}`: runs the flow on another frame of the same capture |
/// | `POST /uploads` | `{"upload": PATH}`: a place for files |
/// | `PUT PATH/NAME` | keeps a file there |
/// | `POST PATH?run` | `{"page": PATH}`: runs the flow on the files |
///
/// No file of the machine is read by a name from a request.
package actor ReportService: RequestHandler {
  /// Bytes of a request for effects.
  package static let placementBytes = 256 << 10
  /// Bytes of a request for another frame.
  static let turnBytes = 1 << 10
  /// Most unfinished uploads; the oldest is dropped for a new one.
  static let openUploads = 4

  private let store: any FrameStore
  private let requests: RequestGuard
  private let limits: UploadLimits
  private var uploads: [(id: Int, folder: UploadFolder)] = []
  private var uploadCount = 0
  /// The folder of uploads, made for the first one.
  private var directory: UploadDirectory?

  init(store: any FrameStore, requests: RequestGuard, limits: UploadLimits = UploadLimits()) {
    self.store = store
    self.requests = requests
    self.limits = limits
  }

  package func answer(_ request: Request) async -> Response {
    if let admitted = requests.admission(request.head) { return admitted }
    do {
      try requests.check(request.head)
      return try await carryOut(request)
    } catch let refusal as Refusal {
      return .refused(refusal)
    } catch {
      return .refused(.cannotProcess("\(error)"))
    }
  }

  private func carryOut(_ request: Request) async throws -> Response {
    let path = request.head.path
    let frame = path.count > 1 && path[0] == "frames" ? integer(of: path[1], in: 0...1 << 40) : nil
    let method = request.head.method == "HEAD" ? "GET" : request.head.method
    switch (method, path.first, path.count) {
    case ("GET", nil, 0): return try await front()
    case ("GET", "frames", 2):
      guard let frame, let page = try await store.page(of: frame, service: service(frame)) else {
        throw Refusal.notFound
      }
      return .page(page)
    case ("GET", "frames", 3) where !Self.actions.contains(path[2]):
      guard let frame, store.fileNames.contains(path[2]),
        let bytes = try await store.file(path[2], of: frame)
      else { throw Refusal.notFound }
      return .answer(bytes, type: "application/octet-stream")
    case ("POST", "frames", 3) where path[2] == "place":
      let body = try await request.body(limit: Self.placementBytes)
      let wishes = try PlacementWish.list(parsed(body))
      guard let frame, let answer = try await store.place(wishes, on: frame) else {
        throw Refusal.notFound
      }
      return .answer(answer.json)
    case ("POST", "frames", 3) where path[2] == "turn":
      let body = try parsed(await request.body(limit: Self.turnBytes))
      guard let position = body["to"]?.integer(in: 0...1 << 40) else {
        throw Refusal.badRequest("\"to\" must be the position of a frame, from 0")
      }
      guard let frame, let turned = try await store.turn(to: position, from: frame) else {
        throw Refusal.notFound
      }
      return .answer(["page": .string("/frames/\(turned)")])
    case ("POST", "uploads", 1): return .answer(["upload": .string("/uploads/\(try open())")])
    case ("PUT", "uploads", 3...):
      let folder = try upload(path[1])
      let bytes = try await request.body(limit: limits.fileBytes)
      try await folder.add(bytes, Array(path[2...]))
      return .answer(["bytes": .integer(bytes.count)])
    case ("POST", "uploads", 2) where request.head.query == "run":
      let folder = try upload(path[1])
      uploads.removeAll { $0.folder === folder }
      let frame = try await run(folder)
      return .answer(["page": .string("/frames/\(frame)")])
    default:
      let methods = Self.methods(of: path)
      throw methods.isEmpty || methods.contains(method) ? Refusal.notFound : .notAllowed(methods)
    }
  }

  /// Requests about a frame, besides those of its files.
  private static let actions = ["place", "turn"]

  /// The methods of an address; none for an unknown address.
  private static func methods(of path: [String]) -> [String] {
    switch (path.first, path.count) {
    case ("frames", 3) where actions.contains(path[2]): ["POST"]
    case (nil, 0), ("frames", 2...3): ["GET", "HEAD"]
    case ("uploads", 1...2): ["POST"]
    case ("uploads", 3...): ["PUT"]
    default: []
    }
  }

  /// Runs the flow on dropped files; errors use their dropped names.
  private func run(_ folder: UploadFolder) async throws -> Int {
    do {
      return try await store.run(path: folder.content(), of: folder)
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw Refusal.cannotProcess(folder.told(error))
    }
  }

  private func front() async throws -> Response {
    if let newest = await store.newest() { return .moved(to: "/frames/\(newest)") }
    return .page(ReportPage.welcome(service: service(0)))
  }

  private func service(_ frame: Int) -> ReportPage.Service {
    ReportPage.Service(
      placePath: "/frames/\(frame)/place", turnPath: store.canRun ? "/frames/\(frame)/turn" : nil,
      uploadPath: store.canRun ? "/uploads" : nil,
      filesPath: "/frames/\(frame)", files: store.fileNames, token: requests.token)
  }

  private func parsed(_ body: [UInt8]) throws(Refusal) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue.parse(body)
    } catch {
      throw .badRequest("the request is not JSON: \(error)")
    }
  }

  private func open() throws -> Int {
    guard store.canRun else {
      throw Refusal.forbidden("nothing can be dropped here: there is no network to run on it")
    }
    if uploads.count >= Self.openUploads { uploads.removeFirst() }
    uploadCount += 1
    let directory = try self.directory ?? UploadDirectory()
    self.directory = directory
    uploads.append((uploadCount, UploadFolder("\(uploadCount)", in: directory, limits: limits)))
    return uploadCount
  }

  private func upload(_ name: String) throws(Refusal) -> UploadFolder {
    guard let folder = uploads.first(where: { "\($0.id)" == name })?.folder else { throw .notFound }
    return folder
  }
}

extension Response {
  /// A page that runs its own scripts, talks to its own service and cannot be embedded.
  fileprivate static func page(_ html: [UInt8]) -> Response {
    let policy =
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
      + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return .answer(html, type: "text/html; charset=utf-8", fields: ["Content-Security-Policy": policy])
  }
}
