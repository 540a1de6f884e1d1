import AppCore
import ArgumentParser

/// Which pictures of a stream are news.
struct ChangeOptions: ParsableArguments {
  @Flag(
    help: """
      Of a film, a camera, an address or a pipe: keep and print only pictures in which objects came or went, by how many \
      there are of each class, or with --track by their identities.
      """)
  var onChange = false

  /// Throws where the flag is given of what is no stream.
  func check(_ stream: StreamSource?) throws {
    guard onChange, stream == nil else { return }
    throw CommandError.usage("--on-change belongs to a film, a pipe (-), a camera or an address")
  }
}
