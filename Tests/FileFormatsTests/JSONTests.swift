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

  @Test(arguments: [
    ("", "JSON ends early, at byte 0: the file is truncated"),
    ("[1,2", "JSON ends early, at byte 4: the file is truncated"),
    ("[1,]", "JSON has ']' at byte 3 where a value is expected"),
    ("{\"a\":1,}", "JSON has '}' at byte 7 where a key is expected"),
    ("{\"a\" 1}", "JSON has '1' at byte 5 where ':' is expected"),
    ("{\"a\":1 \"b\":2}", "JSON has '\"' at byte 7 where ',' or '}' is expected"),
    ("{\"a\":1,\"a\":2}", "JSON names the key \"a\" twice, again at byte 7"),
    ("[01]", "JSON number at byte 1 is malformed"),
    ("[-]", "JSON number at byte 1 is malformed"),
    ("[1.]", "JSON number at byte 1 is malformed"),
    ("[1e]", "JSON number at byte 1 is malformed"),
    ("[1e999]", "JSON number at byte 1 is out of range"),
    ("\"a\u{1}b\"", "JSON string holds the control character 0x01 at byte 2"),
    ("\"\\x\"", "JSON string has an invalid escape at byte 1"),
    ("\"\\ud800\"", "JSON string has an invalid escape at byte 1"),
    ("\"\\udc00\"", "JSON string has an invalid escape at byte 1"),
    ("\"\\u12g4\"", "JSON string has an invalid escape at byte 1"),
    ("1 2", "JSON document is followed by more text at byte 2"),
    ("nul", "JSON ends early, at byte 3: the file is truncated"),
    ("NaN", "JSON has 'N' at byte 0 where a value is expected"),
    ("'a'", "JSON has ''' at byte 0 where a value is expected"),
  ])
  func defectsAreNamed(text: String, message: String) {
    let error = #expect(throws: JSONError.self) { try JSONValue.parse(text) }
    #expect(error?.description == message)
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
    let error = #expect(throws: JSONError.tooManyContainers(limit: 2, offset: 4)) {
      try JSONValue.parse("[{},[]]", limits: few)
    }
    #expect(error?.description == "JSON with more than 2 lists and objects at byte 4")
  }
}
