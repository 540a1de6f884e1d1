import Foundation
import Reporting
import Testing

/// Links stand out from their background (WCAG 2.2, 1.4.3: 4.5 to 1), in both themes.
@Suite struct ContrastTests {
  private static let least = 4.5

  private static func text(_ file: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Sources/ardf/Reporting")
    return try String(contentsOf: root.appending(path: file), encoding: .utf8)
  }

  /// Relative luminance of #rgb or #rrggbb.
  private static func luminance(_ color: String) throws -> Double {
    let digits = color.count == 3 ? color.map { "\($0)\($0)" }.joined() : color
    let code = try #require(digits.count == 6 ? Int(digits, radix: 16) : nil)
    let linear = [16, 8, 0].map { shift in
      let value = Double(code >> shift & 0xff) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  }

  private static func contrast(_ a: String, _ b: String) throws -> Double {
    let both = try [luminance(a), luminance(b)].sorted()
    return (both[1] + 0.05) / (both[0] + 0.05)
  }

  @Test func contrastIsThatOfTheDefinition() throws {
    #expect(try abs(Self.contrast("000", "ffffff") - 21) < 1e-9)
    #expect(try abs(Self.contrast("777777", "fff") - 4.48) < 0.01)
  }

  @Test(arguments: [":root {", ":root[data-theme=\"dark\"] {"]) func linksOfAReport(theme: String) throws {
    let style = try Self.text("Page/page.css")
    #expect(style.contains("\na, .link { color: var(--accent);"))
    let start = try #require(style.range(of: theme)?.upperBound)
    let block = String(style[start...].prefix { $0 != "}" })
    func color(_ name: String) throws -> String {
      let after = try #require(block.range(of: "--\(name): #")?.upperBound)
      return String(block[after...].prefix { $0.isHexDigit })
    }
    for surface in ["page", "panel", "well"] {
      #expect(try Self.contrast(color("accent"), color(surface)) >= Self.least, "\(surface)")
    }
  }

  @Test func linksOfARun() throws {
    let page = String(decoding: RunIndexPage([], picture: "results.jpg").html, as: UTF8.self)
    let links = page.matches(of: /\ba \{ color: #([0-9a-f]+); \}/).map { String($0.1) }
    let grounds = page.matches(of: /body \{[^}]*background: #([0-9a-f]+);/).map { String($0.1) }
    #expect(links.count == 2 && grounds.count == 2)
    for (link, ground) in zip(links, grounds) {
      #expect(try Self.contrast(link, ground) >= Self.least)
    }
  }
}
