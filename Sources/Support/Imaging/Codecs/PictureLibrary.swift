import FileFormats

/// A library of the distribution that reads pictures, opened at run time: what does without such pictures does without it.
struct PictureLibrary: Sendable {
  private let library: RuntimeLibrary
  private let format: ImageFormat

  /// Opens a library.
  ///
  /// - Parameters:
  ///   - fileName: What the loader knows it by, such as `libwebp.so.7`.
  ///   - format: What it is needed for.
  /// - Throws: `ImageDefect.missingLibrary`.
  init(_ fileName: String, for format: ImageFormat) throws(ImageDefect) {
    self.format = format
    do {
      library = try RuntimeLibrary(fileName)
    } catch {
      throw .missingLibrary(format, reason: error.description)
    }
  }

  /// The function of that name, of the type that the caller wants it as.
  ///
  /// - Throws: `ImageDefect.missingLibrary` where the library lacks it.
  func function<Function>(_ name: String) throws(ImageDefect) -> Function {
    do {
      return try library.function(name)
    } catch {
      throw .missingLibrary(format, reason: error.description)
    }
  }

  /// The function of that name, nil where the library lacks it.
  func optionalFunction<Function>(_ name: String) -> Function? { library.optionalFunction(name) }
}
