import ArgumentParser

extension PictureFormat: ExpressibleByArgument {
  /// Also as the files end.
  init?(argument: String) { self.init(rawValue: argument == "jpg" ? "jpeg" : argument) }
}

/// How pictures for people are written.
struct PictureOptions: ParsableArguments {
  @Option(
    help: """
      How pictures for people are written (annotated, relative, results): jpeg, or png, which loses nothing and takes \
      longer.
      """)
  var pictureFormat = PictureFormat.jpeg
}
