import AppCore
import ArgumentParser

/// The option to keep only pictures of a stream in which objects appeared or disappeared.
struct ChangeOptions: ParsableArguments {
  @Flag(
    help: """
      Of a film, a camera, an address or a pipe: keep and print only pictures in which objects came or went, by how many \
      there are of each class, or with --track by their identities.
      """)
  var onChange = false

  /// Throws where the flag is given for a source other than a stream.
  func check(_ stream: StreamSource?) throws {
    guard onChange, stream == nil else { return }
    throw CommandError.usage("--on-change belongs to a film, a pipe (-), a camera or an address")
  }
}
