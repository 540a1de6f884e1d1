#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads whole files into memory, their size checked first.
enum ImageFile {
  static func read(path: String, limit: Int) throws(ImageDefect) -> [UInt8] {
    var descriptor: Int32
    repeat { descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(reason: currentError())
    }
    defer { _ = close(descriptor) }

    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(reason: currentError()) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw .unreadable(reason: "it is a folder") }
    let size = Int(status.st_size)
    guard size <= limit else { throw .fileTooLarge(bytes: size, limit: limit) }
    guard size > 0 else { throw .empty }

    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let received = unsafe Glibc.read(descriptor, buffer.baseAddress! + count, size - count)
        if received > 0 {
          count += received
        } else if received == 0 {
          break
        } else if errno != EINTR {
          failure = errno
          break
        }
      }
    }
    guard failure == 0 else { throw .unreadable(reason: unsafe String(cString: strerror(failure))) }
    return bytes
  }

  private static func currentError() -> String { unsafe String(cString: strerror(errno)) }
}
