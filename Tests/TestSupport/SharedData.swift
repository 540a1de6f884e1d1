import FoundationEssentials

/// Real pictures, captures and checkpoints that lie beside the package and are no part of it.
///
/// Tests that need them are enabled only where they are present:
/// `@Test(.enabled(if: SharedData.available, "real data is not present beside the package"))`.
public enum SharedData {
  /// The package's root folder.
  public static let packageRoot: String = {
    // This file is Tests/TestSupport/SharedData.swift.
    var components = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    components.removeLast(3)
    return components.joined(separator: "/")
  }()

  /// The folder beside the package that holds `data` and `weights`.
  public static let root = packageRoot + "/../shared"

  /// Whether the folder is there.
  public static let available = exists("data")

  /// The path of an entry of the folder, such as `weights/yolo11n-seg.pt`.
  public static func path(_ name: String) -> String { "\(root)/\(name)" }

  /// Whether an entry of the folder is there.
  public static func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
}
