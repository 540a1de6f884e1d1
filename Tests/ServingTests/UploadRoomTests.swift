import Foundation
import Glibc
import Serving
import Testing

/// Where dropped files lie, and what is left of them.
@Suite(.serialized) struct UploadRoomTests {
  private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  @Test func onlyTheUserMayLookIn() throws {
    let room = try UploadRoom()
    let attributes = try FileManager.default.attributesOfItem(atPath: room.place)
    #expect(attributes[.posixPermissions] as? NSNumber == 0o700)
  }

  @Test func whatAKilledServerLeftIsRemovedAndALivingOnesKept() throws {
    let living = try UploadRoom()
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
    UploadRoom.removeAbandoned()
    #expect(!Self.exists(killed))
    #expect(Self.exists(living.place + "/1/a.jpg"))
    #expect(Self.exists(link) && Self.exists(other))
  }

  @Test func filesGoWithTheirUploadAndItsRoom() async throws {
    var room: UploadRoom? = try UploadRoom()
    let place = try #require(room?.place)
    var upload: UploadFolder? = try UploadFolder("1", in: #require(room), limits: UploadLimits())
    try await upload?.add([1], ["a.jpg"])
    #expect(Self.exists(place + "/1/a.jpg"))
    upload = nil
    #expect(!Self.exists(place + "/1") && Self.exists(place))
    room = nil
    #expect(!Self.exists(place))
  }

  @Test func messagesDoNotNameTheRoom() throws {
    let room = try UploadRoom()
    let upload = UploadFolder("1", in: room, limits: UploadLimits())
    struct Failure: Error, CustomStringConvertible { let description: String }
    for place in [room.place, room.placeInMessages] {
      #expect(upload.told(Failure(description: "\(place)/1/a/b: broken")) == "a/b: broken")
      #expect(upload.told(Failure(description: "\(place)/1: no capture")) == "what was dropped: no capture")
    }
  }
}
