import FileFormats
import InferenceProtocol
import Testing

/// Requests as clients write them.
@Suite struct RequestTests {
  private static let model = ModelDescription(
    name: "m", platform: "test",
    inputs: [
      TensorDescription("x", .float32, [-1, 2]), TensorDescription("hint", .int64, [1], isOptional: true),
    ],
    outputs: [TensorDescription("y", .float32, [-1, 2])])

  private static func read(_ json: String, _ binary: [UInt8] = []) throws -> NameTable<ProtocolTensor> {
    let request = try InferenceRequest(
      Array(json.utf8) + binary, headerLength: binary.isEmpty ? nil : "\(json.utf8.count)")
    return try request.tensors(for: model)
  }

  private static func input(_ rest: String, name: String = "x", datatype: String = "FP32") -> String {
    #"{"inputs":[{"name":"\#(name)","datatype":"\#(datatype)",\#(rest)}]}"#
  }

  private static func little(_ values: [Float]) -> [UInt8] {
    values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(8 * $0)) } }
  }

  @Test func elementsInJSONAndBehindItAreTheSame() throws {
    let flat = try Self.read(Self.input(#""shape":[2,2],"data":[1,2.5,-3,4e1]"#))
    #expect(flat["x"] == ProtocolTensor("x", [2, 2], [1, 2.5, -3, 40]))
    #expect(try Self.read(Self.input(#""shape":[2,2],"data":[[1,2.5],[-3,4e1]]"#)) == flat)
    let binary = Self.little([1, 2.5, -3, 40])
    let json = Self.input(#""shape":[2,2],"parameters":{"binary_data_size":16}"#)
    #expect(try Self.read(json, binary) == flat)
  }

  @Test func severalInputsLieOneBehindTheOther() throws {
    let json = """
      {"id":"7","inputs":[{"name":"hint","datatype":"INT64","shape":[1],"parameters":{"binary_data_size":8}},
      {"name":"x","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}]}
      """
    let tensors = try Self.read(json, [254, 255, 255, 255, 255, 255, 255, 255] + Self.little([0.5, 2]))
    #expect(tensors["hint"] == ProtocolTensor("hint", [1], integers: [-2]))
    #expect(tensors["x"]?.floats == [0.5, 2])
  }

  /// Malformed requests and their errors.
  private static let wrong: [(String, ProtocolError)] = [
    ("[]", .member("the request", expected: "an object")),
    ("{}", .member("inputs", expected: "a list")),
    (#"{"inputs":{}}"#, .member("inputs", expected: "a list")),
    (#"{"inputs":[7]}"#, .member("inputs", expected: "a list of objects with names")),
    (#"{"inputs":[]}"#, .missingInput("x")),
    (#"{"id":7,"inputs":[]}"#, .member("id", expected: "a text")),
    (#"{"parameters":[],"inputs":[]}"#, .member("parameters", expected: "an object of at most 64 members")),
    (
      #"{"parameters":{"binary_data_output":1},"inputs":[]}"#,
      .parameter("binary_data_output", expected: "true or false")
    ),
    (input(#""shape":[1,2]"#), .noElements(tensor: "x")),
    (input(#""shape":[1,2],"data":[1,2],"parameters":{"binary_data_size":8}"#), .noElements(tensor: "x")),
    (input(#""shape":[1,2],"data":7"#), .member("data", expected: "a list")),
    (input(#""shape":[1,2],"data":[1]"#), .elementCount(tensor: "x", found: 1, expected: 2)),
    (input(#""shape":[1,2],"data":[1,2,3]"#), .elementCount(tensor: "x", found: 3, expected: 2)),
    (input(#""shape":[1,2],"data":[1,"2"]"#), .element(tensor: "x", index: 1, datatype: .float32)),
    (input(#""shape":[1,2],"data":[1,null]"#), .element(tensor: "x", index: 1, datatype: .float32)),
    (input(#""shape":7,"data":[]"#), .shape(tensor: "x")),
    (input(#""shape":[-1,2],"data":[]"#), .shape(tensor: "x")),
    (input(#""shape":[1.5,2],"data":[]"#), .shape(tensor: "x")),
    (
      input(#""shape":[9223372036854775807,9223372036854775807],"data":[]"#),
      .tooManyElements(tensor: "x", limit: 1 << 26)
    ),
    (
      input(#""shape":[0,9223372036854775807,9223372036854775807],"data":[]"#),
      .tooManyElements(tensor: "x", limit: 1 << 26)
    ),
    (input(#""shape":[2],"data":[1,2]"#), .wrongShape(input: "x", found: [2], expected: [-1, 2])),
    (input(#""shape":[1,3],"data":[1,2,3]"#), .wrongShape(input: "x", found: [1, 3], expected: [-1, 2])),
    (input(#""shape":[1,2],"data":[1,2]"#, name: "z"), .unknownInput("z", known: ["x", "hint"])),
    (
      input(#""shape":[1,2],"data":[1,2]"#, datatype: "FP64"),
      .wrongDatatype(input: "x", found: .float64, expected: .float32)
    ),
    (input(#""shape":[1,2],"data":[1,2]"#, datatype: "FP31"), .unknownDatatype("FP31", tensor: "x")),
    (
      input(#""shape":[1,2],"data":[1,2],"parameters":{"shared_memory_region":"r"}"#),
      .sharedMemory(tensor: "x")
    ),
    (
      input(#""shape":[1,2],"parameters":{"binary_data_size":-1}"#),
      .parameter("binary_data_size", expected: "a number of bytes")
    ),
    (input(#""shape":[1,2],"parameters":{"binary_data_size":8}"#), .binaryLength(found: 0, expected: 8)),
    (
      input(#""shape":[1,2],"parameters":{"binary_data_size":9223372036854775807}"#),
      .binaryLength(found: 0, expected: .max)
    ),
    (
      input(#""shape":[1,2],"parameters":{"binary_data_size":9223372036854775808}"#),
      .parameter("binary_data_size", expected: "a number of bytes")
    ),
    (
      #"{"id":"\#(String(repeating: "x", count: 1001))","inputs":[]}"#,
      .member("id", expected: "a text of at most 1000 bytes")
    ),
    (
      #"{"parameters":{\#((0...64).map { "\"p\($0)\":1" }.joined(separator: ","))},"inputs":[]}"#,
      .member("parameters", expected: "an object of at most 64 members")
    ),
    (
      #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}],"outputs":[{"name":"z"}]}"#,
      .unknownOutput("z", known: ["y"])
    ),
    (#"{"inputs":[],"outputs":[{"name":"y"},{"name":"y"}]}"#, .repeated(tensor: "y")),
    (
      #"{"inputs":[],"outputs":[{"name":"y","parameters":{"classification":2}}]}"#,
      .classification(output: "y")
    ),
    (
      #"{"inputs":[],"outputs":[{"name":"y","parameters":{"binary_data":"yes"}}]}"#,
      .parameter("binary_data", expected: "true or false")
    ),
  ]

  @Test(arguments: wrong.indices) func whatIsWrongIsNamed(index: Int) throws {
    let (json, expected) = Self.wrong[index]
    #expect(throws: expected) { try Self.read(json) }
    #expect(!"\(expected)".isEmpty && !"\(expected)".contains("\n"))
  }

  @Test func bytesBehindTheJSONMustBeThoseAskedFor() throws {
    let json = Self.input(#""shape":[1,2],"parameters":{"binary_data_size":8}"#)
    #expect(throws: ProtocolError.binaryLength(found: 9, expected: 8)) {
      try Self.read(json, [UInt8](repeating: 0, count: 9))
    }
    #expect(throws: ProtocolError.binaryLength(found: 7, expected: 8)) {
      try Self.read(json, [UInt8](repeating: 0, count: 7))
    }
    let short = Self.input(#""shape":[1,2],"parameters":{"binary_data_size":4}"#)
    #expect(throws: ProtocolError.elementCount(tensor: "x", found: 4, expected: 8)) {
      try Self.read(short, [0, 0, 0, 0])
    }
  }

  /// Sizes whose sum is beyond any number, after one that is there.
  @Test(arguments: [Int.max, .max - 8, .max - 9, 1 << 62]) func sizesThatOverflowTogether(size: Int) {
    let json = """
      {"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}},
      {"name":"hint","datatype":"INT64","shape":[1],"parameters":{"binary_data_size":\(size)}}]}
      """
    let expected = size > Int.max - 8 ? Int.max : size + 8
    #expect(throws: ProtocolError.binaryLength(found: 8, expected: expected)) {
      try Self.read(json, [UInt8](repeating: 0, count: 8))
    }
  }

  /// The bytes reserved before a request is read cover its values and tensors.
  @Test func memoryIsKnownBefore() throws {
    let numbers = Array(repeating: "0", count: 1000).joined(separator: ",")
    let json = Array(Self.input(#""shape":[500,2],"data":[\#(numbers)]"#).utf8)
    let values = InferenceRequest.parsingBytes(of: json, headerLength: nil)
    #expect((1000 * MemoryLayout<JSONValue>.stride..<200_000).contains(values))
    #expect(try InferenceRequest(json, headerLength: nil).tensorBytes == 4000)
    #expect(InferenceRequest.parsingBytes(of: [UInt8](repeating: 0, count: 1000), headerLength: "0") < 1000)
    // A shape alone takes nothing.
    let declared = Self.input(#""shape":[33554432,2],"parameters":{"binary_data_size":0}"#)
    #expect(try InferenceRequest(Array(declared.utf8), headerLength: nil).tensorBytes == 0)
    var limits = ProtocolLimits()
    limits.jsonValues = 10
    #expect(
      InferenceRequest.parsingBytes(of: json, headerLength: nil, limits: limits) < 1000 + json.count)
  }

  @Test func wholeNumbersAmongParameters() throws {
    func value(_ text: String) throws -> Int? {
      let json = #"{"parameters":{"n":\#(text)},"inputs":[]}"#
      // As it waits in the queue.
      return try InferenceRequest(Array(json.utf8), headerLength: nil).withoutInputs.integer("n", in: 1...8)
    }
    #expect(try value("8") == 8 && value("2.0") == 2)
    let long = #""\#(String(repeating: "1", count: 200))""#
    for wrong in ["0", "9", "1.5", "\"1\"", "[1]", "{}", "null", "1e300", "9223372036854775808", long] {
      #expect(throws: ProtocolError.parameter("n", expected: "a whole number from 1 to 8")) {
        try value(wrong)
      }
    }
  }

  @Test(arguments: ["", "x", "-1", "+1", "3.0", "99999999999999999999", "4"])
  func headerLengthIsANumberOfTheBodysBytes(text: String) {
    #expect(throws: ProtocolError.headerLength(text)) { try InferenceRequest([1, 2, 3], headerLength: text) }
  }

  @Test func tooManyTensorsAreRefused() {
    let one = #"{"name":"x","datatype":"FP32","shape":[0,2],"data":[]}"#
    let json = #"{"inputs":[\#(Array(repeating: one, count: 65).joined(separator: ","))]}"#
    #expect(throws: ProtocolError.tooManyTensors(limit: 64)) { try Self.read(json) }
    #expect(throws: ProtocolError.repeated(tensor: "x")) { try Self.read(#"{"inputs":[\#(one),\#(one)]}"#) }
  }

  @Test func timeoutIsInMicroseconds() throws {
    func timeout(_ value: String) throws -> Duration? {
      try InferenceRequest(
        Array(#"{"parameters":{"timeout":\#(value)},"inputs":[]}"#.utf8), headerLength: nil
      ).timeout()
    }
    #expect(try timeout("1500") == .microseconds(1500))
    #expect(try timeout("0") == nil)
    for wrong in ["-1", "1.5", "\"1\"", "1e30"] {
      #expect(throws: ProtocolError.parameter("timeout", expected: "a number of microseconds")) {
        try timeout(wrong)
      }
    }
  }
}
