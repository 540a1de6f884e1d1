import FileFormats

/// A page over the frames of a run: a picture and what was found of each, and the way to its own page.
package struct RunIndexPage: Sendable {
  /// One frame.
  package struct Frame: Sendable {
    /// Its name.
    package var name: String
    /// The folder of its results beside the page; nil for one that could not be read.
    package var folder: String?
    /// The objects' labels.
    package var objects: [String]
    /// Notes that a reader must know, or the reason why the frame could not be read.
    package var notes: [String]

    /// A frame.
    package init(name: String, folder: String?, objects: [String], notes: [String]) {
      self.name = name
      self.folder = folder
      self.objects = objects
      self.notes = notes
    }

    /// A frame by its line of `results.jsonl`.
    package init(line: JSONValue) {
      let summary = line["summary"]
      self.init(
        name: line["name"]?.string ?? "", folder: summary?.isNull == false ? line["folder"]?.string : nil,
        objects: summary?["objects"]?.array?.compactMap { $0["label"]?.string } ?? [],
        notes: line["error"]?.string.map { [$0] } ?? summary?["notes"]?.array?.compactMap(\.string) ?? [])
    }
  }

  /// The page's file.
  package static let file = "index.html"

  private let frames: [Frame]
  /// The file in each frame's folder that shows its results.
  private let picture: String

  /// A page over these frames, with the file of that name in each one's folder as its picture.
  package init(_ frames: [Frame], picture: String) { (self.frames, self.picture) = (frames, picture) }

  /// The page, UTF-8; the same for the same frames.
  package var html: [UInt8] {
    let objects = frames.reduce(0) { $0 + $1.objects.count }
    let text = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="generator" content="ardf">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>All frames</title>
      <link rel="icon" href="data:,">
      <style>\(Self.style)</style>
      </head>
      <body>
      <header><h1>All frames</h1>
      <p>\(counted(frames.count, "frame")), \(counted(objects, "object")). <a href="results.jsonl">results.jsonl</a></p></header>
      <ol>
      \(frames.map(item).joined(separator: "\n"))
      </ol>
      </body>
      </html>

      """
    return Array(text.utf8)
  }

  private func item(_ frame: Frame) -> String {
    let name = Self.escaped(frame.name)
    let notes = frame.notes.map { "<li>\(Self.escaped($0))</li>" }.joined()
    let list =
      notes.isEmpty
      ? "" : "<details><summary>\(counted(frame.notes.count, "note"))</summary><ul>\(notes)</ul></details>"
    guard let folder = frame.folder.map(Self.address) else {
      return "<li class=\"failed\" id=\"\(name)\"><h2>\(name)</h2><ul>\(notes)</ul></li>"
    }
    let labels = frame.objects.map { label in
      "<li>\(Self.escaped(label.split(whereSeparator: \.isNewline).joined(separator: ", ")))</li>"
    }
    return
      "<li id=\"\(name)\"><a href=\"\(folder)/report.html\"><img src=\"\(folder)/\(picture)\" loading=\"lazy\" "
      + "alt=\"Results of \(name)\"><h2>\(name)</h2></a>"
      + (labels.isEmpty ? "<p>no objects</p>" : "<ul>\(labels.joined())</ul>") + list + "</li>"
  }

  /// A path as an address beside the page.
  private static func address(_ path: String) -> String {
    path.utf8.map { byte in
      let isPlain =
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: ".") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    printableLine(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
      ">", with: "&gt;"
    )
    .replacing("\"", with: "&quot;")
  }

  private static let style = """

    body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5em; color: #222; background: #fff; }
    ol { list-style: none; padding: 0; display: grid; gap: 1em; grid-template-columns: repeat(auto-fill, minmax(16em, 1fr)); }
    ol > li { border: 1px solid #ccc; border-radius: 8px; padding: .6em; overflow-wrap: anywhere; }
    img { width: 100%; aspect-ratio: 4/3; object-fit: contain; background: #8882; border-radius: 4px; }
    h2 { font-size: 1em; margin: .3em 0; }
    ul, p { margin: .3em 0; padding-left: 1.2em; }
    p { padding: 0; }
    a { color: #0b5cad; }
    summary { cursor: pointer; padding: .2em 0; }
    :focus-visible { outline: 3px solid #0b5cad; outline-offset: 2px; }
    .failed { border-color: #b00020; }
    @media (prefers-color-scheme: dark) {
      body { color: #e4e4e4; background: #161616; }
      ol > li { border-color: #444; }
      a { color: #7fb8ff; }
      :focus-visible { outline-color: #7fb8ff; }
      .failed { border-color: #ff6b81; }
    }

    """
}
