import ArgumentParser

extension PictureFormat: ExpressibleByArgument {
  /// Accepts file name endings, too.
  init?(argument: String) { self.init(rawValue: argument == "jpg" ? "jpeg" : argument) }
}

/// How pictures for people are written.
struct PictureOptions: ParsableArguments {
  @Option(
    help: """
      Format of the pictures for people (annotated, relative, results): jpeg, or png, which is lossless and slower.
      """)
  var pictureFormat = PictureFormat.jpeg
}
