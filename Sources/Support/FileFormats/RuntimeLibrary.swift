import Glibc

/// A library of the distribution, opened at run time: what does without it works on machines that lack it.
///
/// It stays open until the process ends. Unsafe by nature: the caller states the functions' types.
@safe package struct RuntimeLibrary: Sendable {
  private let address: UInt
  private let fileName: String

  /// Opens a library.
  ///
  /// - Parameter fileName: What the loader knows it by, such as `libwebp.so.7`.
  /// - Throws: `RuntimeLibraryError` where it is not there, or cannot be loaded.
  package init(_ fileName: String) throws(RuntimeLibraryError) {
    guard let handle = unsafe dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else {
      let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "dlopen failed"
      throw RuntimeLibraryError(reason)
    }
    address = UInt(bitPattern: handle)
    self.fileName = fileName
  }

  /// The function of that name, of the type that the caller wants it as.
  ///
  /// - Throws: `RuntimeLibraryError` where the library lacks it.
  package func function<Function>(_ name: String) throws(RuntimeLibraryError) -> Function {
    guard let found: Function = optionalFunction(name) else {
      throw RuntimeLibraryError("\(fileName) has no function \(name)")
    }
    return found
  }

  /// The function of that name, nil where the library lacks it.
  package func optionalFunction<Function>(_ name: String) -> Function? {
    guard let symbol = unsafe dlsym(UnsafeMutableRawPointer(bitPattern: address), name) else { return nil }
    return unsafe unsafeBitCast(symbol, to: Function.self)
  }
}

/// Why a library that is opened at run time cannot be used, in the loader's words.
package struct RuntimeLibraryError: Error, Equatable, CustomStringConvertible {
  /// One line.
  package let description: String

  fileprivate init(_ description: String) { self.description = description }
}

extension RuntimeLibraryError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .unavailable }
}
