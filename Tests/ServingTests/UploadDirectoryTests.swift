import Foundation
import Glibc
import Serving
import Testing

/// Where dropped files lie, and what is left of them.
@Suite(.serialized) struct UploadDirectoryTests {
  private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  @Test func onlyTheUserMayLookIn() throws {
    let directory = try UploadDirectory()
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.place)
    #expect(attributes[.posixPermissions] as? NSNumber == 0o700)
  }

  @Test func whatAKilledServerLeftIsRemovedAndALivingOnesKept() throws {
    let living = try UploadDirectory()
    try living.write([1], to: "1/a.jpg")
    let parent = FileManager.default.temporaryDirectory.path
    let killed = "\(parent)/.ardf-drops-\(UUID().uuidString).1-0.partial"
    try FileManager.default.createDirectory(atPath: killed + "/1", withIntermediateDirectories: true)
    try Data([1]).write(to: URL(fileURLWithPath: killed + "/1/a.jpg"))
    // Not ours to remove: a link of that name, and what it leads to.
    let link = "\(parent)/ardf-drops-\(UUID().uuidString)"
    let other = "\(parent)/other-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other)
    defer { for path in [link, other] { try? FileManager.default.removeItem(atPath: path) } }
    UploadDirectory.removeAbandoned()
    #expect(!Self.exists(killed))
    #expect(Self.exists(living.place + "/1/a.jpg"))
    #expect(Self.exists(link) && Self.exists(other))
  }

  @Test func filesGoWithTheirUploadAndItsRoom() async throws {
    var directory: UploadDirectory? = try UploadDirectory()
    let place = try #require(directory?.place)
    var upload: UploadFolder? = try UploadFolder("1", in: #require(directory), limits: UploadLimits())
    try await upload?.add([1], ["a.jpg"])
    #expect(Self.exists(place + "/1/a.jpg"))
    upload = nil
    #expect(!Self.exists(place + "/1") && Self.exists(place))
    directory = nil
    #expect(!Self.exists(place))
  }

  @Test func messagesDoNotNameTheRoom() throws {
    let directory = try UploadDirectory()
    let upload = UploadFolder("1", in: directory, limits: UploadLimits())
    struct Failure: Error, CustomStringConvertible { let description: String }
    for place in [directory.place, directory.placeInMessages] {
      #expect(upload.told(Failure(description: "\(place)/1/a/b: broken")) == "a/b: broken")
      #expect(upload.told(Failure(description: "\(place)/1: no capture")) == "what was dropped: no capture")
    }
  }
}
