// Measures every layer, and prints the five that cost most.
//
//   swift run -c release ProfileLayers weights/yolo11n-seg.safetensors

import Models
import NNRuntime

guard CommandLine.arguments.count == 2 else { fatalError("usage: ProfileLayers WEIGHTS") }

let pool = ThreadPool(threads: 2)
let network = try InspectedNetwork(weights: WeightStore(path: CommandLine.arguments[1]), pool: pool)
let session = try network.session(for: network.standardSize)

let input = SeededInput.uniform(count: session.plan.inputs[0].shape.count)
let ceiling = try MachineCeiling.measure(backend: .native, pool: pool)
let profile = Profiler(iterations: 10, warmUp: 2).profile(session, input: input, ceiling: ceiling)

print("\(profile.network): \(TimingSummary(profile.wall).median) ms, of \(ceiling.peak) GFLOP/s at best")
for row in profile.sorted(by: .time, top: 5).rows {
  let rate = row.rate.map { "\(Int($0)) GFLOP/s" } ?? ""
  print("\(row.name): \(TimingSummary(row.times).median) ms, \(Int(100 * profile.share(row))) % \(rate)")
}
