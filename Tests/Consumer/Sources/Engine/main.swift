// A network of one layer, on the engine alone: its program is linked with no library of others.
import NNRuntime

let builder = GraphBuilder(name: "doubling")
let picture = builder.input("input", height: 2, width: 2, channels: 1)
let doubled = picture.convolution(Tensor(shape: [1, 1, 1, 1], floats: [2]), name: "double")
let session = Session(try Plan(builder.finish(outputs: [("output", doubled)])), pool: ThreadPool(threads: 1))
let (input, output) = (try session.input("input"), try session.output("output"))
let result = session.run(prepare: { $0.fill(input, with: [0, 1, 2, 3]) }, read: { $0.elements(of: output) })
guard result == [0, 2, 4, 6] else { fatalError("\(result)") }
print(result)
