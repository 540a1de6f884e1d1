import AppCore
import FileFormats
import Imaging

extension CaptureLimits {
  /// Limits on a document.
  var json: JSONLimits { JSONLimits(bytes: indexBytes) }

  /// Limits on a picture.
  var pictures: ImageLimits { ImageLimits(maxPixels: pixels, maxFileBytes: frameFileBytes) }
}
