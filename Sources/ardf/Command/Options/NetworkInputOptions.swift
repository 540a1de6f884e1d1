import ArgumentParser
import FileFormats
import NNRuntime

/// The input of a network in measurements.
struct NetworkInputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The network's input: (3, height, width), (height, width, 3), or either after a 1. By default seeded "
        + "random numbers.",
      valueName: "x.npy"))
  var input: String?

  @Option(help: "Seed of the random input.")
  var seed: UInt64 = 1

  /// The elements of the plan's input, channels last.
  func elements(for plan: Plan) throws -> [Float] {
    let shape = plan.inputs[0].shape
    guard let input else { return SeededInput.uniform(count: shape.count, seed: seed) }
    try MistakenInput.refusePicture(
      input,
      give: "a .npy file with the network's input, (3, height, width); without --input it is drawn")
    let array = try InFile.naming(input) { try NPYArray.read(path: input) }
    var sides = array.shape
    if sides.count == 4, sides[0] == 1 { sides.removeFirst() }
    let values = array.floats()
    if sides == [shape.height, shape.width, shape.channels] { return values }
    guard sides == [shape.channels, shape.height, shape.width] else {
      throw CommandError.input(
        "\(input): is \(array.shape.map(String.init).joined(separator: "x")), but the network's input is "
          + "\(shape.channels)x\(shape.height)x\(shape.width); give --size")
    }
    return (0..<shape.count).map { index in
      values[index % shape.channels * shape.pixels + index / shape.channels]
    }
  }
}
