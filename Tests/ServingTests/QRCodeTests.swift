import Serving
import Testing

/// Codes are read back by the standard; `tools/check/check-phone.py` has OpenCV read one off a terminal.
@Suite struct QRCodeTests {
  @Test(arguments: [0, 1, 14, 15, 26, 27, 42, 43, 62, 63, 84, 85, 106, 107, 122, 123, 152, 153, 180])
  func everyLengthIsReadBack(bytes: Int) throws {
    for seed in 0..<4 {
      let letters = (0..<bytes).map { index -> UInt8 in
        let number: Int = index * 37 + seed * 11 + index * index * seed
        return UInt8(0x21 + number % 94)
      }
      let text = String(decoding: letters, as: UTF8.self)
      let code = try #require(QRCode(text))
      #expect(QRReader(side: code.side, isDark: code.isDark).text == text)
    }
  }

  @Test func anotherAlphabetIsReadBack() throws {
    let text = "http://[fe80::1]:8765/?name=Zoë 部屋"
    let code = try #require(QRCode(text))
    #expect(QRReader(side: code.side, isDark: code.isDark).text == text)
  }

  @Test func sizesAreTheStandards() {
    for (bytes, side) in [(14, 21), (15, 25), (62, 33), (84, 37), (122, 45), (180, 53)] {
      #expect(QRCode(String(repeating: "a", count: bytes))?.side == side)
    }
    #expect(QRCode(String(repeating: "a", count: QRCode.mostBytes + 1)) == nil)
  }

  /// The reader of these tests sees a module that is wrong.
  @Test func aWrongModuleIsNoticed() throws {
    let code = try #require(QRCode("http://127.0.0.1/"))
    let wrong = QRReader(side: code.side) { code.isDark($0, $1) != ($0 == 12 && $1 == 12) }
    #expect(wrong.text == nil)
  }

  @Test func theTerminalShowsEveryModule() throws {
    let code = try #require(QRCode("http://127.0.0.1/"))
    let lines = code.terminalText.split(separator: "\n").map(Array.init)
    #expect(lines.count == (code.side + 9) / 2 && lines.allSatisfy { $0.count == code.side + 8 })
    let shown = QRReader(side: code.side) { row, column in
      let block = lines[(row + 4) / 2][column + 4]
      return block == " " || block == ((row + 4) % 2 == 0 ? "\u{2584}" : "\u{2580}")
    }
    #expect(shown.text == "http://127.0.0.1/")
  }
}
