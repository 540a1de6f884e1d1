import FileFormats
import InferenceProtocol
import Testing

/// Elements of every datatype: from JSON and from bytes, and back.
@Suite struct DatatypeTests {
  private struct Case: Sendable {
    let datatype: Datatype
    let json: String
    let bytes: [UInt8]
    let count: Int
  }

  private static let cases: [Case] = [
    Case(datatype: .bool, json: "[true,false]", bytes: [1, 0], count: 2),
    Case(datatype: .uint8, json: "[0,255]", bytes: [0, 255], count: 2),
    Case(datatype: .int8, json: "[-128,127]", bytes: [0x80, 0x7f], count: 2),
    Case(datatype: .uint16, json: "[258,65535]", bytes: [2, 1, 255, 255], count: 2),
    Case(datatype: .int16, json: "[-2]", bytes: [254, 255], count: 1),
    Case(datatype: .uint32, json: "[4294967295]", bytes: [255, 255, 255, 255], count: 1),
    Case(datatype: .int32, json: "[-2]", bytes: [254, 255, 255, 255], count: 1),
    Case(
      datatype: .uint64, json: "[9223372036854775807]", bytes: [255, 255, 255, 255, 255, 255, 255, 127],
      count: 1),
    Case(datatype: .int64, json: "[-2]", bytes: [254, 255, 255, 255, 255, 255, 255, 255], count: 1),
    Case(datatype: .float16, json: "[1.0,-0.5]", bytes: [0, 0x3c, 0, 0xb8], count: 2),
    Case(datatype: .bf16, json: "[1.0,-0.5]", bytes: [0x80, 0x3f, 0, 0xbf], count: 2),
    Case(datatype: .float32, json: "[1.0,0.1]", bytes: [0, 0, 0x80, 0x3f, 0xcd, 0xcc, 0xcc, 0x3d], count: 2),
    Case(datatype: .float64, json: "[1.0]", bytes: [0, 0, 0, 0, 0, 0, 0xf0, 0x3f], count: 1),
    Case(
      datatype: .bytes, json: #"["ab","","ä"]"#,
      bytes: [2, 0, 0, 0, 0x61, 0x62, 0, 0, 0, 0, 2, 0, 0, 0, 0xc3, 0xa4], count: 3),
  ]

  private static func echo(_ datatype: Datatype) -> ModelDescription {
    ModelDescription(
      name: "echo", platform: "test", inputs: [TensorDescription("x", datatype, [-1])],
      outputs: [TensorDescription("x", datatype, [-1])])
  }

  @Test func everyDatatypeHasACase() { #expect(Self.cases.map(\.datatype).count == Datatype.allCases.count) }

  @Test(arguments: cases.indices) func thereAndBack(index: Int) throws {
    let one = Self.cases[index]
    let model = Self.echo(one.datatype)
    let head = #"{"inputs":[{"name":"x","datatype":"\#(one.datatype.rawValue)","shape":[\#(one.count)],"#
    let json = try InferenceRequest(Array("\(head)\"data\":\(one.json)}]}".utf8), headerLength: nil)
    let packed =
      "\(head)\"parameters\":{\"binary_data_size\":\(one.bytes.count)}}],\"parameters\":{\"binary_data_output\":true}}"
    let binary = try InferenceRequest(Array(packed.utf8) + one.bytes, headerLength: "\(packed.utf8.count)")
    let tensor = try #require(try json.tensors(for: model)["x"])
    #expect(try binary.tensors(for: model)["x"] == tensor)

    let asText = InferenceResponse([tensor], of: model, to: json)
    #expect(asText.headerLength == nil)
    let answer = try JSONValue.parse(asText.body)
    #expect(try answer["outputs"]?[0]?["data"] == JSONValue.parse(one.json))
    #expect(answer["outputs"]?[0]?["datatype"]?.string == one.datatype.rawValue)

    let asBytes = InferenceResponse([tensor], of: model, to: binary)
    let headerLength = try #require(asBytes.headerLength)
    #expect(Array(asBytes.body[headerLength...]) == one.bytes)
    let header = try JSONValue.parse(Array(asBytes.body[..<headerLength]))
    #expect(header["outputs"]?[0]?["parameters"]?["binary_data_size"]?.integer == one.bytes.count)
    #expect(header["outputs"]?[0]?["data"] == nil)
  }

  /// Elements that a datatype cannot have, in JSON.
  @Test(arguments: [
    (Datatype.uint8, "256"), (.uint8, "-1"), (.int8, "128"), (.uint16, "65536"), (.int16, "-32769"),
    (.uint32, "4294967296"), (.int32, "2147483648"), (.uint64, "-1"), (.bool, "2"), (.int64, "0.5"),
    (.float32, "true"), (.bytes, "7"),
  ])
  func whatDoesNotFitIsRefused(datatype: Datatype, element: String) throws {
    let json =
      #"{"inputs":[{"name":"x","datatype":"\#(datatype.rawValue)","shape":[1],"data":[\#(element)]}]}"#
    let request = try InferenceRequest(Array(json.utf8), headerLength: nil)
    #expect(throws: ProtocolError.element(tensor: "x", index: 0, datatype: datatype)) {
      try request.tensors(for: Self.echo(datatype))
    }
  }

  @Test(arguments: [
    [2, 0, 0, 0, 1], [255, 255, 255, 255], [1, 0, 0], [0, 0, 0, 0, 9],
  ])
  func bytesThatEndEarlyAreRefused(bytes: [UInt8]) throws {
    let json =
      #"{"inputs":[{"name":"x","datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":\#(bytes.count)}}]}"#
    let request = try InferenceRequest(Array(json.utf8) + bytes, headerLength: "\(json.utf8.count)")
    #expect(throws: ProtocolError.malformedBytes(tensor: "x")) { try request.tensors(for: Self.echo(.bytes)) }
  }

  @Test func moreBytesThanTheShapeSaysAreNotRead() throws {
    let json =
      #"{"inputs":[{"name":"x","datatype":"BYTES","shape":[1],"parameters":{"binary_data_size":12}}]}"#
    let request = try InferenceRequest(
      Array(json.utf8) + [UInt8](repeating: 0, count: 12), headerLength: "\(json.utf8.count)")
    #expect(throws: ProtocolError.elementCount(tensor: "x", found: 2, expected: 1)) {
      try request.tensors(for: Self.echo(.bytes))
    }
  }

  @Test func base64StandsForBytesWhereItIsSaid() throws {
    func read(_ text: String) throws -> [[UInt8]]? {
      let json =
        #"{"inputs":[{"name":"x","datatype":"BYTES","shape":[1],"parameters":{"content_type":"base64"},"data":["\#(text)"]}]}"#
      return try InferenceRequest(Array(json.utf8), headerLength: nil).tensors(for: Self.echo(.bytes))["x"]?
        .texts
    }
    #expect(try read("AP9/") == [[0, 255, 127]])
    #expect(throws: ProtocolError.element(tensor: "x", index: 0, datatype: .bytes)) { try read("A*") }
  }
}
