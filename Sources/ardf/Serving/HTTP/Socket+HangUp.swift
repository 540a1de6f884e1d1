import FlyingSocks
import Glibc

extension Socket {
  /// Whether the other side has closed the connection or its own direction of it.
  ///
  /// Unsafe where the system's call takes a pointer.
  var hasHungUp: Bool {
    // POLLRDHUP of poll(2), which Glibc's module leaves out.
    let closed: Int16 = 0x2000
    var entry = pollfd(fd: file.rawValue, events: closed, revents: 0)
    guard unsafe poll(&entry, 1, 0) == 1 else { return false }
    return entry.revents & (closed | Int16(POLLHUP | POLLERR | POLLNVAL)) != 0
  }
}
