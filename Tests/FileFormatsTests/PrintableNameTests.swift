import FileFormats
import Testing

/// Hostile names from files, as printed to a terminal, a shell, a spreadsheet or a document.
@Suite struct PrintableNameTests {
  private static let hostile = "\u{1B}[31mred\u{1B}[0m\n\u{9B}2J\u{202E}gnp\u{2028}\t"

  @Test func linesHoldNothingThatATerminalTakesForACommand() {
    #expect(
      printableLine(Self.hostile)
        == #"\u{1b}[31mred\u{1b}[0m\u{a}\u{9b}2J\u{202e}gnp\u{2028}\u{9}"#)
    #expect(printableText("a\n\tb\u{7}\r\n") == "a\n\tb" + #"\u{7}\u{d}"# + "\n")
    #expect(printableText("grün 😀\n") == "grün 😀\n")
    #expect(printableName("abcdef", limit: 3) == "abc...")
  }

  @Test(arguments: [
    ("scan/frame.json", "scan/frame.json"), ("", "''"), ("a b", "'a b'"), ("$(id)", "'$(id)'"),
    ("it's", #"'it'\''s'"#), ("-rf", "./-rf"), ("-r f", "'./-r f'"), ("a;b", "'a;b'"),
  ])
  func shellsTakeANameForOneWord(name: String, word: String) {
    #expect(shellWord(name) == word)
  }

  @Test func spreadsheetsTakeNoCellForAFormula() {
    #expect(csvTable(["a", "b"], [["=1+1", "-2.5"]]) == "a,b\n'=1+1,-2.5\n")
    #expect(
      csvTable(["a"], [["+x"], ["@SUM(A1,A2)"], ["-x\"y"]]) == "a\n'+x\n\"'@SUM(A1,A2)\"\n\"'-x\"\"y\"\n")
    #expect(csvTable(["source"], [["-"], ["--"]]) == "source\n-\n'--\n")
    #expect(csvTable(["a"], [["b\r\nc"], ["d\re"]]) == "a\n\"b\r\nc\"\n\"d\re\"\n")
  }

  @Test func documentsAreWrittenWithoutHiddenCharacters() throws {
    let text = JSONValue.string(Self.hostile + "é\u{E0001}").serialized()
    #expect(
      text == #""\u001b[31mred\u001b[0m\n\u009b2J\u202egnp\u2028\té\udb40\udc01""#)
    #expect(try JSONValue.parse(text).string == Self.hostile + "é\u{E0001}")
  }
}
