import FileFormats
import InferenceProtocol
import Testing

/// Answers, and descriptions of models for clients.
@Suite struct ResponseTests {
  private static let model = ModelDescription(
    name: "m", platform: "test", inputs: [TensorDescription("image", .bytes, [1])],
    outputs: [TensorDescription("a", .float32, [-1]), TensorDescription("b", .int64, [2])],
    parameters: ["metadata": "{'x': 1}"])

  private static let outputs = [
    ProtocolTensor("a", [3], [1, .nan, .infinity]), ProtocolTensor("b", [2], integers: [7, -8]),
  ]

  private static func answer(_ rest: String) throws -> (head: JSONValue, bytes: [UInt8]) {
    let json = #"{"inputs":[{"name":"image","datatype":"BYTES","shape":[1],"data":["x"]}]\#(rest)}"#
    let request = try InferenceRequest(Array(json.utf8), headerLength: nil)
    try request.check(for: model)
    let response = InferenceResponse(outputs, of: model, to: request)
    let length = response.headerLength ?? response.body.count
    return (try JSONValue.parse(Array(response.body[..<length])), Array(response.body[length...]))
  }

  @Test func allOutputsInJSONUnlessAskedOtherwise() throws {
    let (head, bytes) = try Self.answer(#","id":"r\"1""#)
    #expect(bytes.isEmpty)
    #expect(head["id"]?.string == "r\"1")
    #expect(head["model_name"]?.string == "m")
    #expect(head["model_version"]?.string == "1")
    // JSON has no such numbers.
    #expect(head["outputs"]?[0]?["data"] == [1.0, .null, .null])
    #expect(head["outputs"]?[1]?["data"] == [7, -8])
  }

  @Test func outputsAskedForAloneAndInTheirOrder() throws {
    let (head, bytes) = try Self.answer(
      #","outputs":[{"name":"b","parameters":{"binary_data":true}},{"name":"a"}]"#)
    #expect(head["outputs"]?.array?.map { $0["name"]?.string } == ["b", "a"])
    #expect(bytes == [7, 0, 0, 0, 0, 0, 0, 0, 248, 255, 255, 255, 255, 255, 255, 255])
    #expect(head["outputs"]?[1]?["data"]?.array?.count == 3)
    let (one, rest) = try Self.answer(
      #","outputs":[{"name":"a","parameters":{"binary_data":false}}],"parameters":{"binary_data_output":true}"#
    )
    #expect(one["outputs"]?.array?.count == 1 && rest.isEmpty)
  }

  @Test func aBodyOfNothingButAPicture() throws {
    let request = try InferenceRequest([0xff, 0xd8], headerLength: "0")
    #expect(try request.tensors(for: Self.model)["image"]?.texts == [[0xff, 0xd8]])
    #expect(InferenceResponse(Self.outputs, of: Self.model, to: request).headerLength != nil)
    let two = ModelDescription(
      name: "two", platform: "test", inputs: Self.model.inputs + [TensorDescription("k", .float64, [3, 3])],
      outputs: [])
    #expect(throws: ProtocolError.bareBody) { try request.tensors(for: two) }
    let fixed = ModelDescription(
      name: "fixed", platform: "test", inputs: [TensorDescription("x", .uint8, [2])], outputs: [])
    #expect(try request.tensors(for: fixed)["x"]?.octets == [0xff, 0xd8])
  }

  @Test func metadataAndConfiguration() throws {
    #expect(Self.model.metadata["inputs"]?[0] == ["name": "image", "datatype": "BYTES", "shape": [1]])
    #expect(Self.model.metadata["versions"] == ["1"])
    let configuration = Self.model.configuration
    #expect(configuration["input"]?[0]?["data_type"]?.string == "TYPE_STRING")
    #expect(configuration["output"]?[1] == ["name": "b", "data_type": "TYPE_INT64", "dims": [2]])
    #expect(configuration["parameters"]?["metadata"]?["string_value"]?.string == "{'x': 1}")
    #expect(configuration["max_batch_size"]?.integer == 0)
  }
}
