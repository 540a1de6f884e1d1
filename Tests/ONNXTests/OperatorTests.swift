import FileFormats
import Testing

import ONNX

/// Edges of operators that ONNX's own cases leave out.
@Suite struct OperatorTests {
  /// Runs one operator on tensors.
  private func run(
    _ type: String, _ inputs: [Tensor], _ attributes: [Message] = [], outputs: Int = 1, opset: Int64 = 18
  ) throws -> [Tensor] {
    let names = inputs.indices.map { "x\($0)" }
    let made = (0..<outputs).map { "y\($0)" }
    let values = zip(names, inputs).map { name, tensor in
      Message.message(
        11, Proto.value(name, type: Int64(tensor.type.rawValue), shape: tensor.shape.map { Int64($0) }))
    }
    let graph = Proto.graph(
      values + [.message(1, Proto.node(type, names, made, attributes))]
        + made.map { .message(12, Proto.value($0, type: 0, shape: [])) })
    let model = try ONNXModel(FileBytes(Proto.model(graph, opset: opset)), path: "model.onnx")
    return try model.run(NameTable(zip(names, inputs).map { ($0, .tensor($1)) })).map { try $0.tensor("y") }
  }

  private func error(_ body: () throws -> Void) -> ONNXError? {
    do {
      try body()
      return nil
    } catch {
      return (error as? ONNXError)?.innermost
    }
  }

  @Test("tensors of different types are refused where the definition has one type for them")
  func sharedTypes() throws {
    for (name, groups) in Operators.sharedTypes {
      let listed = try #require(Operators.listing.first { $0.name == name }, "\(name)")
      for group in groups {
        let (kept, odd) = (group.first ?? 0, group.last ?? 1)
        #expect(odd < listed.inputs.upperBound, "\(name)")
        let types = (0..<max(odd + 1, listed.inputs.lowerBound)).map {
          $0 == odd ? ElementType.double : .float
        }
        let found = error {
          _ = try run(name, types.map { Tensor($0, [1, 1, 2, 2], doubles: [1, 1, 1, 1]) }, opset: 23)
        }
        #expect(
          found
            == .malformed(
              "input \(kept) has elements of type float and input \(odd) of type double"), "\(name)")
      }
    }
  }

  @Test(
    "a stride or a dilation of 0 is refused", arguments: ["Conv", "ConvTranspose", "MaxPool", "AveragePool"],
    ["strides", "dilations"])
  func zeroSteps(type: String, attribute: String) {
    let input = Tensor([1, 1, 2, 2], [Float](repeating: 1, count: 4))
    let isPool = type.hasSuffix("Pool")
    let found = error {
      _ = try run(
        type, isPool ? [input] : [input, input],
        [Proto.attribute(attribute, ints: [1, 0])]
          + (isPool ? [Proto.attribute("kernel_shape", ints: [1, 1])] : []), opset: 19)
    }
    #expect(found == .malformed("attribute \"\(attribute)\" is [1, 0] for 2 axes"))
  }

  @Test("a maximum is put back into no output of another rank, nor where the input had no size")
  func unpooled() {
    let (input, indices) = (Tensor([1, 1, 1], [Float(1)]), Tensor([1, 1, 1], [Int64(0)]))
    for (shape, kernel) in [([1, 1, 1, 4], 2), ([1, 1, 4], 0)] as [([Int64], Int64)] {
      let found = error {
        _ = try run(
          "MaxUnpool", [input, indices, Tensor([shape.count], shape)],
          [Proto.attribute("kernel_shape", ints: [kernel])])
      }
      guard case .malformed = found else { return #expect(Bool(false), "\(String(describing: found))") }
    }
  }

  @Test(
    "one scale gives the bytes of the definition, halves to the even integer",
    arguments: [(UInt8(3), 0), (2, 0), (2, 128), (2, 255), (3, -128), (3, 127), (3, -5)])
  func quantized(type: UInt8, zero: Int) throws {
    let (low, high) = type == 2 ? (0, 255) : (-128, 127)
    let scale: Float = 0.25
    var values = (-1300...1300).map { Float($0) / 8 * scale }
    values += [1e9, -1e9, .leastNonzeroMagnitude, -0.0]
    let expected = values.map { value in
      min(max(Double((value / scale).rounded(.toNearestOrEven)) + Double(zero), Double(low)), Double(high))
    }
    let point = Tensor(type == 2 ? .uint8 : .int8, [], doubles: [Double(zero)])
    func made(_ values: [Float]) throws -> [Double] {
      try run("QuantizeLinear", [Tensor([values.count], values), Tensor([], [scale]), point], opset: 21)
        .flatMap { $0.doubles() }
    }
    #expect(try made(values) == expected)
    // With infinities it is computed otherwise, and the same.
    #expect(try made(values + [.infinity, -.infinity]) == expected + [Double(high), Double(low)])
  }

  @Test("an attribute that is not implemented is named, not ignored")
  func attributes() {
    let found = error { _ = try run("Relu", [Tensor([1], [Float(1)])], [Proto.attribute("speed", int: 3)]) }
    #expect(found == .unsupported("attribute \"speed\" is not implemented"))
    #expect(
      error { _ = try run("Unheard", [Tensor([1], [Float(1)])]) }
        == .unsupported("the operator is not implemented"))
    let future = error { _ = try run("Relu", [Tensor([1], [Float(1)])], opset: 99) }
    guard case .unsupported = future else { return #expect(Bool(false), "\(String(describing: future))") }
  }

  @Test("integers: division by zero is refused, the least number by minus one wraps around")
  func division() throws {
    let least = Tensor([1], [Int32.min])
    #expect(try run("Div", [least, Tensor([1], [Int32(-1)])])[0].array(of: Int32.self) == [.min])
    #expect(error { _ = try run("Div", [least, Tensor([1], [Int32(0)])]) } != nil)
    #expect(try run("Mod", [least, Tensor([1], [Int32(-1)])])[0].array(of: Int32.self) == [0])
  }

  @Test("not-a-number passes through Max and Min, and is the first of TopK")
  func notANumber() throws {
    let values = Tensor([3], [Float(1), .nan, 3])
    #expect(try run("Max", [values, Tensor([], [Float(2)])])[0].floats()[1].isNaN)
    #expect(try run("Min", [Tensor([], [Float(2)]), values])[0].floats()[1].isNaN)
    let top = try run("TopK", [values, Tensor([1], [Int64(2)])], outputs: 2)
    #expect(top[1].integers() == [1, 2])
  }

  @Test("slices to the ends of 64 bits, backwards too")
  func slices() throws {
    let tensor = Tensor([4], [Int64(0), 1, 2, 3])
    func slice(_ start: Int64, _ end: Int64, _ step: Int64) throws -> [Int] {
      try run(
        "Slice",
        [tensor, Tensor([1], [start]), Tensor([1], [end]), Tensor([1], [Int64(0)]), Tensor([1], [step])])[0]
        .integers()
    }
    #expect(try slice(1, .max, 1) == [1, 2, 3])
    #expect(try slice(.max, .min, -1) == [3, 2, 1, 0])
    #expect(try slice(-1, .min, -2) == [3, 1])
    #expect(try slice(.min, .max, .max) == [0])
    #expect(try slice(.max, .min, .min) == [3])
  }

  @Test("shapes that no memory holds are refused before they are made")
  func hugeShapes() {
    let size = Tensor([2], [Int64(1) << 40, Int64(1) << 40])
    #expect(error { _ = try run("ConstantOfShape", [size]) } != nil)
    #expect(error { _ = try run("Expand", [Tensor([1], [Float(1)]), size]) } != nil)
    #expect(error { _ = try run("Tile", [Tensor([2, 2], [Float](repeating: 1, count: 4)), size]) } != nil)
    #expect(
      error {
        _ = try run("Range", [Tensor([], [Int64(0)]), Tensor([], [Int64.max]), Tensor([], [Int64(1)])])
      } != nil)
    #expect(
      error {
        _ = try run("Range", [Tensor([], [Int64(0)]), Tensor([], [Int64(1) << 30]), Tensor([], [Int64(1)])])
      } != nil)
    // Frames of half a signal, one at each sample.
    let signal = Tensor([1, 1 << 17, 1], [Float](repeating: 0, count: 1 << 17))
    let frames = [signal, Tensor([], [Int64(1)]), Tensor([1 << 16], [Float](repeating: 1, count: 1 << 16))]
    #expect(error { _ = try run("STFT", frames) } != nil)
  }

  @Test("half precision is rounded once, to nearest even")
  func halves() throws {
    let one = Tensor(.float16, [1], doubles: [1])
    let tiny = Tensor(.float16, [1], doubles: [0x1p-11])
    #expect(try run("Add", [one, tiny])[0].doubles() == [1])
    #expect(try run("Add", [one, Tensor(.float16, [1], doubles: [0x1.8p-10])])[0].doubles() == [1 + 0x1p-9])
    let large = try run(
      "Mul", [Tensor(.float16, [1], doubles: [60_000]), Tensor(.float16, [1], doubles: [2])])
    #expect(large[0].doubles() == [.infinity])
  }

  @Test("indices count from the end, and are within the axis")
  func indices() throws {
    let tensor = Tensor([3], [Float(1), 2, 3])
    #expect(try run("Gather", [tensor, Tensor([1], [Int64(-1)])])[0].floats() == [3])
    #expect(error { _ = try run("Gather", [tensor, Tensor([1], [Int64(3)])]) } != nil)
    #expect(error { _ = try run("Gather", [tensor, Tensor([1], [Int64.min])]) } != nil)
  }

  /// Expectations by `onnx.reference` 1.23, whose numbers are NumPy's `RandomState`.
  @Test("which pixel is nearest is decided in single precision, by the quotient of a place and a scale")
  func nearest() throws {
    // 9 / (12 / 20) is 15, in single precision a little less; 8 / (24 / 21) is 7.
    for (size, wanted, place, pixel) in [(20, 12, 9, 14), (21, 24, 8, 6), (20, 116, 87, 14), (14, 28, 14, 7)]
    {
      let line = Tensor([1, size], (0..<size).map { Float($0) })
      let made = try run(
        "Resize",
        [line, Tensor([0], [Float]()), Tensor([0], [Float]()), Tensor([2], [Int64(1), Int64(wanted)])],
        [
          Proto.attribute("mode", text: "nearest"), Proto.attribute("nearest_mode", text: "floor"),
          Proto.attribute("coordinate_transformation_mode", text: "asymmetric"),
        ])
      #expect(made[0].doubles()[place] == Double(pixel))
    }
  }

  @Test("far along an axis factors are those of places in single precision, as ONNX Runtime has them")
  func far() throws {
    let line = Tensor([1, 1681], (0..<1681).map { Float($0 % 2) })
    let made = try run(
      "Resize",
      [line, Tensor([0], [Float]()), Tensor([0], [Float]()), Tensor([2], [Int64(1), 2000])],
      [
        Proto.attribute("mode", text: "linear"),
        Proto.attribute("coordinate_transformation_mode", text: "asymmetric"),
      ]
    )
    // Exactly 0.4535.
    #expect(made[0].doubles()[1947] == 0.45361328125)
  }

  @Test("a map is resized to one element from its first where PyTorch's half pixels are meant")
  func one() throws {
    let map = Tensor([1, 1, 1, 4], [0, 1, 2, 3] as [Float])
    for (mode, scale) in [("linear", Float(0.25)), ("linear", 0.4), ("cubic", 0.25)] {
      let scales = Tensor([4], [1, 1, 1, scale])
      let attributes = [
        Proto.attribute("mode", text: mode),
        Proto.attribute("coordinate_transformation_mode", text: "pytorch_half_pixel"),
      ]
      let made = try run("Resize", [map, Tensor([0], [Float]()), scales], attributes)
      #expect(made[0].doubles() == [0], "\(mode) \(scale)")
    }
  }

  @Test("a cubic sample outside takes elements of the border, by its distance from them")
  func cubicBorder() throws {
    let map = Tensor([1, 1, 1, 4], [0, 1, 2, 3] as [Float])
    let points = Tensor([1, 1, 2, 2], [-1.5, 0, 0, 0] as [Float])
    let attributes = [
      Proto.attribute("mode", text: "cubic"), Proto.attribute("padding_mode", text: "border"),
      Proto.attribute("align_corners", int: 1),
    ]
    let made = try run("GridSample", [map, points], attributes, opset: 20)[0].doubles()
    // Three quarters of an element before the first: what PyTorch and ONNX Runtime make of it.
    #expect(made == [-0.03515625, 1.5])
  }

  @Test("a seed gives the numbers that ONNX's reference draws")
  func seeds() throws {
    let double = Proto.attribute("dtype", int: Int64(ElementType.double.rawValue))
    func drawn(_ type: String, _ count: Int64, seed: Int64) throws -> [Double] {
      let attributes = [
        double, Proto.attribute("shape", ints: [count]), Proto.attribute("seed", int: seed),
      ]
      return try run(type, [], attributes)[0].doubles()
    }
    let uniform = try drawn("RandomUniform", 400, seed: 0)
    // The generator's state is renewed after 312 numbers.
    let expected = [
      (0, 0.5488135039273248), (1, 0.7151893663724195), (312, 0.07952208258675575),
      (399, 0.18523232523618394),
    ]
    for (index, number) in expected { #expect(uniform[index] == number) }
    let normal = try drawn("RandomNormal", 5, seed: 7)
    let numbers = [
      1.690525703800356, -0.4659373705408328, 0.0328201636785844, 0.40751628299650783, -0.7889230286257386,
    ]
    for (found, number) in zip(normal, numbers) { #expect(abs(found - number) < 1e-12) }
    let chances = [0.1, 0.5, 0.9, 0, 0.3, 0.7, 1, 0.2, 0.8, 0.6, 0.4, 0.55]
    for (seed, ones) in [(3, [1, 2, 4, 6, 8, 9, 11]), (42, [1, 2, 5, 6, 7, 8])] {
      let found = try run(
        "Bernoulli", [Tensor([12], chances)], [Proto.attribute("seed", int: Int64(seed))])[0].doubles()
      #expect(found.indices.filter { found[$0] == 1 } == ones)
    }
    let dropped = try run(
      "Dropout", [Tensor([12], (1...12).map { Float($0) }), Tensor([], [Float(0.25)]), Tensor([], [true])],
      [Proto.attribute("seed", int: 11)], outputs: 2)
    let mask = dropped[1].array(of: Bool.self)
    #expect(mask.indices.filter { !mask[$0] } == [0, 1, 6, 11])
    for (index, value) in dropped[0].floats().enumerated() {
      #expect(abs(value - (mask[index] ? Float(index + 1) / 0.75 : 0)) < 1e-5)
    }
  }

  @Test(
    "single precision is sampled as double precision is, inside, beyond the border and at what is no number",
    arguments: ["linear", "nearest"], ["zeros", "border", "reflection"])
  func samples(_ mode: String, _ padding: String) throws {
    let numbers: [Float] = (0..<120).map { (index: Int) -> Float in Float(index * 37 % 23) - 11 }
    var points: [Float] = [
      0, 0, -1, -1, 1, 1, 0.99, -0.3, 1.2, 0.1, -1.7, 2.4, -5, 0.5, .nan, 0, .infinity, 0,
    ]
    points += (0..<38).map { (index: Int) -> Float in Float(index * 29 % 41) / 15 - 1.3 }
    let grid = Tensor([2, 1, points.count / 4, 2], points)
    for aligns in [0, 1] {
      let attributes = [
        Proto.attribute("mode", text: mode), Proto.attribute("padding_mode", text: padding),
        Proto.attribute("align_corners", int: Int64(aligns)),
      ]
      let single = try run("GridSample", [Tensor([2, 3, 5, 4], numbers), grid], attributes, opset: 20)[0]
      let double = try run(
        "GridSample",
        [
          Tensor(.double, [2, 3, 5, 4], doubles: numbers.map(Double.init)),
          Tensor(.double, grid.shape, doubles: points.map(Double.init)),
        ], attributes, opset: 20)[0]
      #expect(single.shape == double.shape && single.shape == [2, 3, 1, points.count / 4])
      let worst = zip(single.doubles(), double.doubles()).map { abs($0 - $1) }.max() ?? .infinity
      #expect(worst < 1e-5, "\(mode) \(padding) \(aligns)")
    }
  }

  @Test(
    "the greatest and least in single precision are those in double precision: zeros, equal ones, no numbers")
  func greatest() throws {
    let numbers: [Float] = [
      3, -0.0, 0, .infinity, -.infinity, 3, .nan, -2, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 7, -7,
      3, 0, .nan, -2, 5, 5,
    ]
    for (axis, shape) in [(0, [6, 3]), (1, [6, 3]), (0, [18])] {
      for largest in [0, 1] {
        let attributes = [
          Proto.attribute("axis", int: Int64(axis)), Proto.attribute("largest", int: Int64(largest)),
        ]
        let k = Tensor([1], [Int64(shape[axis])])
        let single = try run("TopK", [Tensor(shape, numbers), k], attributes, outputs: 2)
        let double = try run(
          "TopK", [Tensor(.double, shape, doubles: numbers.map(Double.init)), k], attributes, outputs: 2)
        #expect(single[1].integers() == double[1].integers(), "axis \(axis), largest \(largest)")
      }
    }
  }

  @Test("elements are gathered and joined along each axis")
  func gatheredElements() throws {
    let tensor = Tensor([2, 3], [Float(0), 1, 2, 3, 4, 5])
    let indices = Tensor([2, 2], [Int64(2), 0, -1, 1])
    let along = { try run("GatherElements", [tensor, $0], [Proto.attribute("axis", int: $1)])[0].floats() }
    #expect(try along(indices, 1) == [2, 0, 5, 4])
    #expect(try along(Tensor([1, 3], [Int64(1), 0, -1]), 0) == [3, 1, 5])
    let columns = [
      Tensor([2, 1], [Float(1), 2]), Tensor([2, 1], [Float(3), 4]), Tensor([2, 1], [Float(5), 6]),
    ]
    #expect(try run("Concat", columns, [Proto.attribute("axis", int: 1)])[0].floats() == [1, 3, 5, 2, 4, 6])
  }
}
