import AppCore
import FileFormats

/// A frame's results as one page that needs nothing else: no network, no other file.
package enum ReportPage {
  /// Where the page's wishes go, on a page that `ardf serve` gave out.
  package struct Service: Sendable {
    /// Where effects are placed.
    package var placePath: String
    /// Where another frame of the capture is asked for; nil where there is no network to run on it.
    package var turnPath: String?
    /// Where pictures and captures go; nil where there is no network to run on them.
    package var uploadPath: String?
    /// Where the frame's files are to be had.
    package var filesPath: String
    /// The files that are to be had there.
    package var files: [String]
    /// The token that every request which changes something must carry.
    package var token: String

    /// A service at these paths.
    package init(
      placePath: String, turnPath: String?, uploadPath: String?, filesPath: String, files: [String],
      token: String
    ) {
      self.placePath = placePath
      self.turnPath = turnPath
      self.uploadPath = uploadPath
      self.filesPath = filesPath
      self.files = files
      self.token = token
    }
  }

  /// A page's pictures and figures, made once for many answers.
  package struct Content: Sendable {
    private let title: String
    private var data: JSONValue
    private let timing: JSONValue

    /// The content of a report.
    ///
    /// - Throws: `ReportError`, `ObjectsFileError`, `ImageError`.
    package init(_ report: FrameReport) throws {
      title = report.frame.name
      data = try report.content()
      timing = report.timing
    }

    /// Shows other placed effects.
    package mutating func show(_ effects: [PlacedEffect]) {
      guard case .object(var members) = data else { return }
      members["effects"] = SceneFile(effects: effects).json["effects"]
      data = .object(members)
    }

    /// The page, UTF-8.
    package func html(service: Service? = nil) -> [UInt8] {
      page(title: title, data: data, timing: timing, service: service)
    }
  }

  /// The page about a frame, UTF-8.
  ///
  /// The line of the element `timing` is all that differs between two runs on the same input.
  /// - Throws: `ReportError`, `ObjectsFileError`, `ImageError`.
  package static func html(_ report: FrameReport, service: Service? = nil) throws -> [UInt8] {
    try Content(report).html(service: service)
  }

  /// A page without a frame, on which pictures and captures can be dropped.
  package static func welcome(service: Service) -> [UInt8] {
    page(title: "ardf", data: .null, timing: [], service: service)
  }

  private static func page(
    title: String, data: JSONValue, timing: JSONValue, service: Service?
  ) -> [UInt8] {
    let parts: [String: [UInt8]] = [
      "title": Array(escaped(printableName(title)).utf8), "style": PackageResources.page_css,
      "data": element("data", data), "timing": element("timing", timing),
      "service": element("service", service?.json ?? .null),
      "script": scripts.reduce([]) { $0 + $1 },
    ]
    var html: [UInt8] = []
    html.reserveCapacity(parts.values.reduce(PackageResources.page_html.count) { $0 + $1.count })
    // The template has its parts' names between braces of two: {{name}}.
    let pieces = text(PackageResources.page_html).split(separator: "{{", omittingEmptySubsequences: false)
    for (index, piece) in pieces.enumerated() {
      let halves = piece.split(separator: "}}", omittingEmptySubsequences: false)
      if index > 0 { html += parts[String(halves[0])] ?? [] }
      html += (index > 0 ? halves[1] : piece).utf8
    }
    return html
  }

  /// In the order in which they build on each other.
  private static var scripts: [[UInt8]] {
    [
      PackageResources.core_js, PackageResources.picture_js, PackageResources.space_js,
      PackageResources.orbit_js,
      PackageResources.plots_js, PackageResources.effects_js, PackageResources.main_js,
    ]
  }

  private static func element(_ id: String, _ value: JSONValue) -> [UInt8] {
    var html = Array("<script type=\"application/json\" id=\"\(id)\">".utf8)
    let json = value.utf8()
    html.reserveCapacity(html.count + json.count + 64)
    // No text inside can end the element.
    var start = 0
    while let end = json[start...].firstIndex(of: UInt8(ascii: "<")) {
      html += json[start..<end]
      html += "\\u003c".utf8
      start = end + 1
    }
    html += json[start...]
    html += "</script>".utf8
    return html
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }
}

extension ReportPage.Service {
  fileprivate var json: JSONValue {
    [
      "place": .string(placePath), "turn": turnPath.map(JSONValue.string) ?? .null,
      "upload": uploadPath.map(JSONValue.string) ?? .null,
      "files": .string(filesPath), "names": .array(files.map(JSONValue.string)), "token": .string(token),
    ]
  }
}
