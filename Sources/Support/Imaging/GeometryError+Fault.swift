import FileFormats
import Geometry

// Geometry imports nothing.
extension GeometryError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
