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
    (.float32, "true"), (.bytes, "7"), (.uint8, "300"), (.uint8, "1.5"), (.int64, "9223372036854775808"),
    (.uint64, "18446744073709551616"), (.float16, "65520"), (.float16, "-1e5"), (.bf16, "3.4e38"),
    (.float32, "1e39"), (.float32, "-3.5e38"), (.float32, "\"NaN\""), (.float64, "null"),
  ])
  func whatDoesNotFitIsRefused(datatype: Datatype, element: String) throws {
    let json =
      #"{"inputs":[{"name":"x","datatype":"\#(datatype.rawValue)","shape":[1],"data":[\#(element)]}]}"#
    let request = try InferenceRequest(Array(json.utf8), headerLength: nil)
    #expect(throws: ProtocolError.element(tensor: "x", index: 0, datatype: datatype)) {
      try request.tensors(for: Self.echo(datatype))
    }
  }

  /// The largest numbers are taken as they are.
  @Test(arguments: [
    (Datatype.float16, "65504", Float(65504)), (.bf16, "3.3895313892515355e38", 0x1.fep127),
    (.float32, "-3.4028234663852886e38", -Float.greatestFiniteMagnitude), (.float32, "1e-50", 0),
  ])
  func whatJustFitsIsTaken(datatype: Datatype, element: String, value: Float) throws {
    let json =
      #"{"inputs":[{"name":"x","datatype":"\#(datatype.rawValue)","shape":[1],"data":[\#(element)]}]}"#
    let request = try InferenceRequest(Array(json.utf8), headerLength: nil)
    #expect(try request.tensors(for: Self.echo(datatype))["x"]?.floats == [value])
  }

  /// JSON has neither; a number beyond every datatype is no number of JSON here.
  @Test(arguments: ["NaN", "Infinity", "-Infinity", "1e400", "-1e999"])
  func whatIsNoNumberIsRefused(element: String) {
    let json = #"{"inputs":[{"name":"x","datatype":"FP64","shape":[1],"data":[\#(element)]}]}"#
    #expect(throws: ProtocolError.self) { try InferenceRequest(Array(json.utf8), headerLength: nil) }
  }

  /// Infinities and NaN as bytes: of every floating-point datatype, and of a body of nothing but elements.
  @Test(arguments: [
    (Datatype.float16, [0, 0, 0, 0x7c] as [UInt8]), (.float16, [0, 0, 1, 0xfe]), (.bf16, [0, 0, 0x80, 0x7f]),
    (.float32, [0, 0, 0, 0, 0, 0, 0x80, 0x7f]), (.float32, [0, 0, 0, 0, 0, 0, 0xc0, 0xff]),
    (.float64, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0xff]),
  ])
  func bytesThatAreNoFiniteNumberAreRefused(datatype: Datatype, bytes: [UInt8]) throws {
    let json =
      #"{"inputs":[{"name":"x","datatype":"\#(datatype.rawValue)","shape":[2],"parameters":{"binary_data_size":\#(bytes.count)}}]}"#
    let request = try InferenceRequest(Array(json.utf8) + bytes, headerLength: "\(json.utf8.count)")
    let error = ProtocolError.element(tensor: "x", index: 1, datatype: datatype)
    #expect(throws: error) { try request.tensors(for: Self.echo(datatype)) }
    #expect("\(error)".contains("tensor x: element 1"))
    func model(takesNonFinite: Bool) -> ModelDescription {
      ModelDescription(
        name: "m", platform: "test",
        inputs: [TensorDescription("x", datatype, [2], takesNonFinite: takesNonFinite)], outputs: [])
    }
    let bare = try InferenceRequest(bytes, headerLength: "0")
    #expect(throws: error) { try bare.tensors(for: model(takesNonFinite: false)) }
    #expect(try bare.tensors(for: model(takesNonFinite: true))["x"]?.elements.count == 2)
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
    for text in ["A*", "AP\\n9/", "AP9_", "data:image/png;base64,AP9/", "AP9"] {
      let error = #expect(throws: ProtocolError.base64(tensor: "x", index: 0)) { try read(text) }
      #expect(error.map { "\($0)" }?.contains("is not base64: give") == true)
    }
  }
}
