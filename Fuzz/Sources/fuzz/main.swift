// fuzz TARGET [libFuzzer's options and corpus folders]
// fuzz TARGET --seeds FOLDER      copies the target's seeds there
import Foundation
import ParserTargets

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
  _ argumentCount: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

guard CommandLine.argc >= 2, let target = ParserTarget.named(CommandLine.arguments[1]) else {
  print("usage: fuzz TARGET [libFuzzer options] [CORPUS ...], TARGET one of")
  for target in ParserTarget.all { print("  \(target.name)") }
  exit(64)
}

if CommandLine.argc == 4, CommandLine.arguments[2] == "--seeds" {
  for (index, seed) in try target.seeds().enumerated() {
    try Data(seed.bytes).write(to: URL(filePath: "\(CommandLine.arguments[3])/\(index)"))
  }
  exit(0)
}

/// The one global that libFuzzer's callback, a plain C function, can reach; set before the first call.
let chosen = target

/// The name is libFuzzer's: its own `main`, which is linked but never entered, refers to it.
@_cdecl("LLVMFuzzerTestOneInput")
func tryInput(_ bytes: UnsafePointer<UInt8>?, _ length: Int) -> Int32 {
  _ = chosen([UInt8](UnsafeBufferPointer(start: bytes, count: length)))
  return 0
}

// libFuzzer reads its own options where the target's name was.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
exit(runDriver(&count, &arguments) { tryInput($0, $1) })
