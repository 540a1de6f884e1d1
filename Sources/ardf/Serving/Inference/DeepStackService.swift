import FileFormats
import HTTPServing
import InferenceProtocol

/// DeepStack's API, which programs for home cameras use: translates the answers of a detector.
///
/// | request | answer |
/// |---|---|
/// | `POST /v1/vision/detection` | the objects of a form's `image`, of at least `min_confidence` |
/// | `POST /v1/vision/custom/NAME` | the same, by the name of the network |
/// | `GET`, `POST /v1/vision/custom/list` | the name |
/// | `/v1/vision/scene`, `face`, `enhance`, ... | 403: not enabled |
///
/// A form's `api_key` is the server's token. Every answer has `success`, and `error` where that is false.
package struct DeepStackService: Sendable {
  /// The model that answers: `image` to `boxes`, `scores` and `labels`.
  let model: String
  /// The name of its network.
  let network: String
  /// DeepStack's default least score of reported objects.
  static let usualConfidence = 0.45

  /// - `model`: the name of a model among those served.
  package init(model: String, network: String) { (self.model, self.network) = (model, network) }

  /// The operation that a request asks for.
  enum Asked {
    case detection
    case list
  }

  /// Parses the operation in an address of `v1`.
  ///
  /// - Throws: `Refusal.forbidden` for what DeepStack has and this server has not, `.notFound`, `.notAllowed`.
  func asked(by head: RequestHead) throws(Refusal) -> Asked {
    let path = head.path
    guard path.count >= 3, path[1] == "vision" else { throw .notFound }
    switch Array(path[2...]) {
    case ["custom", "list"]:
      guard ["GET", "HEAD", "POST"].contains(head.method) else { throw .notAllowed(["GET", "HEAD", "POST"]) }
      return .list
    case ["detection"], ["custom", network]:
      guard head.method == "POST" else { throw .notAllowed(["POST"]) }
      return .detection
    case let rest where rest[0] == "custom" && rest.count == 2:
      throw .missing("no custom model \(printableName(rest[1])); v1/vision/custom/list names what there is")
    case let rest where Self.others.contains(rest[0]):
      throw .forbidden("\(rest[0]) is not enabled: this server answers v1/vision/detection alone")
    default: throw .notFound
    }
  }

  private static let others: Set = ["scene", "face", "enhance", "backup", "restore"]

  /// Whether a form has the server's token; false for a form that cannot be read.
  static func hasKey(_ body: [UInt8], contentType: String?, isKnown: (String) -> Bool) -> Bool {
    let form = try? MultipartForm(body, contentType: contentType)
    let key = (try? form?.text("api_key")) ?? nil
    return isKnown(key ?? "")
  }

  /// The most bytes of a form without a picture.
  static let mostListBytes = 64 << 10

  /// A request's form: the picture's bytes, and the least score.
  ///
  /// - `isKnown`: whether a key is the server's token; called with an empty key for a form without one.
  static func request(
    _ body: [UInt8], contentType: String?, isKnown: (String) -> Bool
  ) throws(Refusal) -> InferenceRequest {
    let form = try MultipartForm(body, contentType: contentType)
    guard isKnown(try form.text("api_key") ?? "") else { throw .unauthorized }
    guard let place = try form.place(of: "image") else {
      throw .badRequest(
        "the form has no image: send the bytes of one picture (JPEG, PNG, HEIC, AVIF or WebP)")
    }
    let text = try form.text("min_confidence") ?? "\(usualConfidence)"
    guard let confidence = Double(text), (0...1).contains(confidence) else {
      throw .badRequest("min_confidence: give a number from 0 to 1")
    }
    return InferenceRequest(elements: Array(body[place]), parameters: ["conf": .number(confidence)])
  }

  /// The answer of a model's outputs; pixels are whole, as DeepStack's are.
  static func answer(_ outputs: [ProtocolTensor]) -> JSONValue {
    func output(_ name: String) -> ProtocolTensor? { outputs.first { $0.name == name } }
    let boxes = output("boxes")?.floats ?? []
    let scores = output("scores")?.floats ?? []
    let labels = output("labels")?.texts ?? []
    let predictions = zip(labels, scores).enumerated().map { index, object -> JSONValue in
      func pixel(_ side: Int) -> JSONValue { .integer(Int(clamping: boxes[4 * index + side].rounded())) }
      return [
        "label": .string(String(decoding: object.0, as: UTF8.self)),
        "confidence": .rounded(Double(object.1), decimals: 6),
        "x_min": pixel(0), "y_min": pixel(1), "x_max": pixel(2), "y_max": pixel(3),
      ]
    }
    return ["success": true, "predictions": .array(predictions)]
  }

  /// The answer to a refused request.
  static func refused(_ refusal: Refusal) -> Response {
    .refused(refusal, with: ["success": false])
  }
}
