import FileFormats
import Testing

@Suite struct JSONTests {
  @Test func parsesEveryKindOfValue() throws {
    let value = try JSONValue.parse(
      #" {"a": [1, -2.5, 1e3, true, false, null], "b": {"c": "x\n\u00e9\ud83d\ude00"}} "#)
    #expect(value["a"]?[0] == .integer(1))
    #expect(value["a"]?[1] == .number(-2.5))
    #expect(value["a"]?[2]?.integer == 1000)
    #expect(value["a"]?[3]?.bool == true)
    #expect(value["a"]?[5]?.isNull == true)
    #expect(value["b"]?["c"]?.string == "x\né😀")
    #expect(value["a"]?[6] == nil)
    #expect(value["none"] == nil)
  }

  /// Long texts are written as a whole where nothing in them is escaped, and as short ones are wherever something is.
  @Test(arguments: ["", "\"", "\\", "\n", "\u{7f}", "\u{1}", "é", "\u{2028}"])
  func longTextsAreWrittenAsShortOnes(special: String) throws {
    let plain = (0..<100).map { "<\($0) a/b+c=~>" }.joined()
    for text in [special + plain, plain + special, plain + special + plain] {
      let parts = text.map { String(JSONValue.string(String($0)).serialized().dropFirst().dropLast()) }
      let whole = JSONValue.string(text)
      #expect(whole.serialized() == "\"" + parts.joined() + "\"")
      #expect(whole.utf8() == Array(whole.serialized().utf8))
      #expect(try JSONValue.parse(whole.serialized()) == whole)
    }
  }

  @Test func canonicalTextIsStable() throws {
    let value: JSONValue = [
      "b": [1, 2.5, 1e-7, 1e21, -0.0], "a": ["z": "q\"\\\n\u{1}", "y": nil], "c": [["d": 1]], "e": [],
      "f": [:],
    ]
    let text =
      #"{"a":{"y":null,"z":"q\"\\\n\u0001"},"b":[1,2.5,1e-07,1e+21,0.0],"c":[{"d":1}],"e":[],"f":{}}"#
    #expect(value.serialized() == text)
    #expect(try JSONValue.parse(text).serialized() == text)
    #expect(
      value.serialized(pretty: true) == """
        {
          "a": {
            "y": null,
            "z": "q\\"\\\\\\n\\u0001"
          },
          "b": [1, 2.5, 1e-07, 1e+21, 0.0],
          "c": [
            {
              "d": 1
            }
          ],
          "e": [],
          "f": {}
        }

        """)
    #expect(JSONValue.rounded(2.34567, decimals: 3).serialized() == "2.346")
    #expect(JSONValue.rounded(.nan, decimals: 3) == .null)
  }

  @Test(
    arguments: [
      ("", .unexpectedEnd(offset: 0)),
      ("[1,2", .unexpectedEnd(offset: 4)),
      ("[1,]", .unexpectedByte(0x5d, expected: "a value", offset: 3)),
      ("{\"a\":1,}", .unexpectedByte(0x7d, expected: "a key", offset: 7)),
      ("{\"a\" 1}", .unexpectedByte(0x31, expected: "':'", offset: 5)),
      ("{\"a\":1 \"b\":2}", .unexpectedByte(0x22, expected: "',' or '}'", offset: 7)),
      ("{\"a\":1,\"a\":2}", .duplicateKey("a", offset: 7)),
      ("[01]", .invalidNumber(offset: 1)),
      ("[-]", .invalidNumber(offset: 1)),
      ("[1.]", .invalidNumber(offset: 1)),
      ("[1e]", .invalidNumber(offset: 1)),
      ("[1e999]", .numberOutOfRange(offset: 1)),
      ("\"a\u{1}b\"", .controlCharacter(0x01, offset: 2)),
      ("\"\\x\"", .invalidEscape(offset: 1)),
      ("\"\\ud800\"", .invalidEscape(offset: 1)),
      ("\"\\udc00\"", .invalidEscape(offset: 1)),
      ("\"\\u12g4\"", .invalidEscape(offset: 1)),
      ("1 2", .trailingBytes(offset: 2)),
      ("nul", .unexpectedEnd(offset: 3)),
      ("NaN", .unexpectedByte(0x4e, expected: "a value", offset: 0)),
      ("'a'", .unexpectedByte(0x27, expected: "a value", offset: 0)),
    ] as [(String, JSONError)])
  func defectsAreNamed(text: String, error: JSONError) {
    #expect(throws: error) { try JSONValue.parse(text) }
  }

  /// The sentence of each defect; other tests compare errors.
  static let wordings: [(JSONError, String)] = [
    (.unexpectedEnd(offset: 0), "JSON ends early, at byte 0: the file is truncated"),
    (
      .unexpectedByte(0x5d, expected: "a value", offset: 3),
      "JSON has ']' at byte 3 where a value is expected"
    ),
    (.duplicateKey("a", offset: 7), "JSON names the key \"a\" twice, again at byte 7"),
    (.invalidNumber(offset: 1), "JSON number at byte 1 is malformed"),
    (.numberOutOfRange(offset: 1), "JSON number at byte 1 is out of range"),
    (.controlCharacter(0x01, offset: 2), "JSON string holds the control character 0x01 at byte 2"),
    (.invalidEscape(offset: 1), "JSON string has an invalid escape at byte 1"),
    (.trailingBytes(offset: 2), "JSON document is followed by more text at byte 2"),
    (.invalidUTF8(offset: 0), "JSON string at byte 0 is not UTF-8"),
    (.tooDeep(limit: 64, offset: 64), "JSON nested deeper than 64 levels at byte 64"),
    (
      .tooLarge(bytes: 9, limit: 8), "JSON of 9 bytes is over the limit of 8: check that it is the right file"
    ),
    (.tooManyValues(limit: 2, offset: 3), "JSON with more than 2 values at byte 3"),
    (.tooManyContainers(limit: 2, offset: 4), "JSON with more than 2 lists and objects at byte 4"),
  ]

  @Test(arguments: wordings)
  func wording(_ error: JSONError, _ sentence: String) {
    #expect("\(error)" == sentence)
  }

  @Test func invalidUTF8AndLimits() {
    #expect(throws: JSONError.invalidUTF8(offset: 0)) { try JSONValue.parse([0x22, 0xff, 0x22]) }
    let deep = String(repeating: "[", count: 65)
    #expect(throws: JSONError.tooDeep(limit: 64, offset: 64)) { try JSONValue.parse(deep) }
    let limits = JSONLimits(bytes: 8, depth: 4, values: 2)
    #expect(throws: JSONError.tooLarge(bytes: 9, limit: 8)) {
      try JSONValue.parse("[1,2,3,4]", limits: limits)
    }
    #expect(throws: JSONError.tooManyValues(limit: 2, offset: 3)) {
      try JSONValue.parse("[1,2]", limits: limits)
    }
    let few = JSONLimits(bytes: 100, depth: 4, values: 9, containers: 2)
    #expect(throws: JSONError.tooManyContainers(limit: 2, offset: 4)) {
      try JSONValue.parse("[{},[]]", limits: few)
    }
  }
}
