import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

@Suite struct MediaTests {
  static let hasFFmpeg = (try? FFmpeg()) != nil

  static func picture(_ level: UInt8, width: Int = 6, height: Int = 4) -> RGBAImage {
    RGBAImage(width: width, height: height, color: Color(red: level, green: 0, blue: 0, alpha: 128))
  }

  @Test func aFolderOfPicturesIsAFilm() async throws {
    let place = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: place.file("Aurora"), withIntermediateDirectories: true)
    for number in 0..<3 {
      try place.write(
        ImageCodec.encodePNG(Self.picture(UInt8(number * 10))), to: "Aurora/p\(number).png")
    }
    try place.write("no picture", to: "Aurora/readme.txt")
    try place.write("no effect", to: "fire.mov")
    try place.write("a film", to: "debug-cube.mov")
    let folder = try AssetFolder(place.path)
    #expect(folder.effects == [.aurora])
    let film = try #require(try folder.films(of: [.aurora, .snow])[.aurora])
    #expect(film.aspect == 1.5 && film.pivot == .center)
    #expect(try await film.picture(at: 0) == Self.picture(0))
    #expect(try await film.picture(at: 1.0 / 30 + 0.001) == Self.picture(10))
    #expect(try await film.picture(at: 0.101) == Self.picture(0), "it begins again")
  }

  @Test func defectsOfFilms() throws {
    let place = try TemporaryDirectory()
    #expect(throws: MediaError.self) { try AssetFolder(place.file("absent")) }
    #expect(throws: MediaError.empty(file: place.path)) { try PictureFilm(folder: place.path) }
    try place.write(ImageCodec.encodePNG(Self.picture(1)), to: "0.png")
    try place.write(ImageCodec.encodePNG(Self.picture(1, width: 3)), to: "1.png")
    let film = try PictureFilm(folder: place.path)
    #expect(throws: MediaError.sizes(file: place.path)) { try film.picture(at: 0.04) }
    let absent = place.file("ffmpeg")
    #expect(throws: MediaError.file(.missing(path: absent))) { try FFmpeg(path: absent) }
    #expect(throws: MediaError.file(.isDirectory(path: place.path))) { try FFmpeg(path: place.path) }
    let text = try place.write("text", to: "text")
    #expect(throws: MediaError.file(.permissionDenied(path: text))) { try FFmpeg(path: text) }
    #expect(MediaError.noFFmpeg.description.contains("apt-get install ffmpeg"))
  }

  @Test(.enabled(if: hasFFmpeg, "ffmpeg is not installed")) func filmsAreWrittenAndReadThroughFFmpeg()
    async throws
  {
    let place = try TemporaryDirectory()
    let ffmpeg = try FFmpeg()
    let path = place.file("love.mp4")
    let writer = try VideoWriter(
      path: path, size: PixelSize(width: 64, height: 48), framesPerSecond: 30, ffmpeg: ffmpeg)
    for number in 0..<6 {
      try writer.add(
        RGBImage(width: 64, height: 48, color: Color(red: UInt8(40 * number), green: 80, blue: 20)))
    }
    #expect(throws: MediaError.sizes(file: path)) { try writer.add(RGBImage(width: 2, height: 2)) }
    try writer.finish()
    let film = try #require(try AssetFolder(place.path).films(of: [.love])[.love])
    let picture = try await film.picture(at: 3.0 / 30 + 0.005)
    #expect(picture.width == 64 && picture.height == 48)
    let middle = picture[32, 24]
    #expect(abs(Int(middle.red) - 120) < 12 && middle.alpha == 255)
    #expect(try await film.picture(at: 0.2 + 0.005)[32, 24] == film.picture(at: 0.005)[32, 24])
  }

  @Test(.enabled(if: hasFFmpeg, "ffmpeg is not installed")) func whatFFmpegSaysIsToldWithTheFile() throws {
    let place = try TemporaryDirectory()
    let path = try place.write("no film at all", to: "smoke.mov")
    do throws(MediaError) {
      _ = try PictureFilm(video: path, ffmpeg: try FFmpeg())
      Issue.record("a text is no film")
    } catch {
      guard case .ffmpeg(let file, let message) = error else { throw error }
      #expect(file == path && !message.isEmpty)
    }
  }
}
