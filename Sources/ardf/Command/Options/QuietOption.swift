import ArgumentParser

/// How much a command says besides its results.
struct QuietOption: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print nothing but results and what is wrong.")
  var quiet = false

  func validate() throws { Console.isQuiet = quiet }
}
