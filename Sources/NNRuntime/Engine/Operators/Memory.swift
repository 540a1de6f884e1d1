import FileFormats

// Operators without work: what a network is given, and other ways to see memory.

/// A map that is filled before every run.
struct Input: MemoryOperator {
  var shape: MapShape

  var name: String { "input" }
  var placing: Placing { .given }
  func shape(of inputs: [MapShape]) -> MapShape { shape }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
}

/// A map known in advance.
struct Constant: MemoryOperator {
  var tensor: Tensor
  var shape: MapShape

  var name: String { "constant" }
  var placing: Placing { .given }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    guard tensor.count == shape.count else {
      throw .wrongWeights(found: tensor.shape, needed: "as many numbers as a map of \(shape) are needed")
    }
    return shape
  }
}

/// Some channels of every pixel.
struct Slice: MemoryOperator {
  var channels: Range<Int>

  var name: String { "slice" }
  var placing: Placing { .channels(from: channels.lowerBound) }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    guard channels.lowerBound >= 0, channels.upperBound <= inputs[0].channels, !channels.isEmpty else {
      throw .wrongInputs(inputs, needed: "which have no channels \(channels)")
    }
    return MapShape(height: inputs[0].height, width: inputs[0].width, channels: channels.count)
  }
}

/// The same memory under another shape, from a pixel on.
struct View: MemoryOperator {
  var firstPixel: Int
  var height, width: Int

  var name: String { "view" }
  var placing: Placing { .pixels(from: firstPixel) }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    let result = try MapShape.result(height: height, width: width, channels: inputs[0].channels)
    guard firstPixel >= 0, firstPixel < inputs[0].pixels, inputs[0].pixels - firstPixel == result.pixels
    else {
      throw .wrongInputs(
        inputs,
        needed: "\(height)x\(width) pixels are needed" + (firstPixel > 0 ? " from \(firstPixel) on" : ""))
    }
    return result
  }
}

/// The channels of all inputs side by side.
struct Concatenate: MemoryOperator {
  var name: String { "concat" }
  var placing: Placing { .around }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    let first = inputs[0]
    guard inputs.allSatisfy({ $0.height == first.height && $0.width == first.width }) else {
      throw .wrongInputs(inputs, needed: "maps of one height and width are needed")
    }
    return try .result(
      height: first.height, width: first.width, channels: inputs.reduce(0) { $0 + $1.channels })
  }
}

/// The pixels of all inputs one after another, a column of pixels.
struct Stack: MemoryOperator {
  var name: String { "stack" }
  var placing: Placing { .inSequence }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    let channels = inputs[0].channels
    guard inputs.allSatisfy({ $0.channels == channels }) else {
      throw .wrongInputs(inputs, needed: "maps of as many channels each are needed")
    }
    return try .result(height: 1, width: inputs.reduce(0) { $0 + $1.pixels }, channels: channels)
  }
}

extension Value {
  /// The pixels of this map and of `others`, one after another, as one row; all have as many channels.
  public func stacked(with others: [Value], name: String) -> Value {
    applying(Stack(), to: others, name: name)
  }

  /// The given channels of every pixel; no copy.
  public func channels(_ range: Range<Int>, name: String) -> Value {
    applying(Slice(channels: range), name: name)
  }

  /// The pixels in row-major order as a sequence of tokens, without the first `dropping`; no copy.
  public func tokens(dropping first: Int = 0, name: String) -> Value {
    guard first >= 0, first < shape.pixels else {
      return failed(.wrongAttributes("drops \(first) of \(counted(shape.pixels, "token"))"), name)
    }
    return applying(View(firstPixel: first, height: 1, width: shape.pixels - first), name: name)
  }

  /// A token sequence as a map; no copy.
  public func map(height: Int, width: Int, name: String) -> Value {
    applying(View(firstPixel: 0, height: height, width: width), name: name)
  }
}
