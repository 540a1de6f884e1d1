import Glibc

/// A library of the distribution that reads pictures, opened at run time: what does without such pictures does without it.
@safe struct PictureLibrary: Sendable {
  private let address: UInt
  private let fileName: String
  private let format: ImageFormat

  /// Opens a library.
  ///
  /// - Parameters:
  ///   - fileName: What the loader knows it by, such as `libwebp.so.7`.
  ///   - format: What it is needed for.
  /// - Throws: `ImageDefect.missingLibrary`.
  init(_ fileName: String, for format: ImageFormat) throws(ImageDefect) {
    guard let handle = unsafe dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else {
      let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "dlopen failed"
      throw .missingLibrary(format, reason: reason)
    }
    address = UInt(bitPattern: handle)
    self.fileName = fileName
    self.format = format
  }

  /// The function of that name, of the type that the caller wants it as.
  ///
  /// - Throws: `ImageDefect.missingLibrary` where the library lacks it.
  func function<Function>(_ name: String) throws(ImageDefect) -> Function {
    guard let found: Function = optionalFunction(name) else {
      throw .missingLibrary(format, reason: "\(fileName) has no function \(name)")
    }
    return found
  }

  /// The function of that name, nil where the library lacks it.
  func optionalFunction<Function>(_ name: String) -> Function? {
    guard let symbol = unsafe dlsym(UnsafeMutableRawPointer(bitPattern: address), name) else { return nil }
    return unsafe unsafeBitCast(symbol, to: Function.self)
  }
}
