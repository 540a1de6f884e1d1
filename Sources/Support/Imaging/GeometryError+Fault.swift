import FileFormats
import Geometry

// Geometry imports nothing.
extension GeometryError: ClassifiedError {
  /// What kind of fault it is.
  package var fault: Fault { .malformedInput }
}
