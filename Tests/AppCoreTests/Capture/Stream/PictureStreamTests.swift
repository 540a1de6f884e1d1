import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

/// Pictures that come one after the other, from files in place of pipes.
@Suite struct PictureStreamTests {
  private static func picture(_ level: UInt8, width: Int = 20, height: Int = 12) -> RGBImage {
    RGBImage(width: width, height: height, color: Color(red: level, green: 200 - level, blue: 90))
  }

  /// The pictures of a stream: each one's level of red, or why there is none.
  private static func contents(
    _ bytes: [UInt8], rawSize: PixelSize? = nil, limits: CaptureLimits = CaptureLimits()
  ) throws -> [String] {
    let place = try TemporaryDirectory()
    let path = try place.write(bytes, to: "pipe")
    return try contents(of: PictureStream(.pipe(path), rawSize: rawSize, limits: limits))
  }

  private static func contents(of stream: PictureStream) throws -> [String] {
    var found: [String] = []
    while let picture = try stream.next() {
      #expect(picture.number == found.count)
      switch picture.content {
      case .picture(let image, _, _): found.append("\(image.width)x\(image.height) \(image[5, 5].red)")
      case .damaged(let reason): found.append(reason)
      }
    }
    return found
  }

  @Test func jpegAndPNGOneBehindTheOther() throws {
    let png = try ImageCodec.encodePNG(Self.picture(7))
    let jpeg = try ImageCodec.encodeJPEG(Self.picture(100), quality: 100)
    let found = try Self.contents(jpeg + png + png + jpeg)
    #expect(found.map { $0.hasPrefix("20x12 ") } == [true, true, true, true])
    #expect(found[1] == "20x12 7" && found[2] == "20x12 7")
    #expect(try Self.contents([]).isEmpty)
  }

  @Test func damagedPicturesAreToldAndTheOthersRead() throws {
    let png = try ImageCodec.encodePNG(Self.picture(7))
    let jpeg = try ImageCodec.encodeJPEG(Self.picture(100, width: 200, height: 160), quality: 100)
    let garbage = Array("--frame\r\nContent-Type: image/jpeg\r\n\r\n".utf8)
    #expect(try Self.contents(garbage + png) == ["\(garbage.count) bytes that are not a picture", "20x12 7"])
    #expect(try Self.contents(png + garbage) == ["20x12 7", "\(garbage.count) bytes that are not a picture"])
    let cut = try Self.contents(jpeg.dropLast(40) + jpeg)
    #expect(
      cut.count == 2 && cut[0].hasPrefix("JPEG data end too early") && cut[1].hasPrefix("200x160"), "\(cut)")
    let cutPNG = try Self.contents(png.dropLast(12))
    #expect(cutPNG == ["a PNG that ends early"])
    var broken = png
    broken[broken.count - 20] ^= 0xff
    let decoded = try Self.contents(broken + png)
    #expect(decoded.count == 2 && decoded[0] != "20x12 7" && decoded[1] == "20x12 7", "\(decoded)")
  }

  @Test func picturesThatPipesDoNotTakeAreNamed() throws {
    let png = try ImageCodec.encodePNG(Self.picture(7))
    for (start, kind) in [("\0\0\0 ftypheic", "HEIC"), ("\0\0\0 ftypavif", "AVIF"), ("RIFF....WEBP", "WebP")]
    {
      let other = Array(start.utf8) + [UInt8](repeating: 0, count: 40)
      let found = try Self.contents(other + png)
      #expect(
        found.count == 2 && found[0].contains("52 bytes of \(kind)") && found[1] == "20x12 7", "\(found)")
      #expect(try Self.contents(other) == [found[0]])
    }
  }

  @Test func everyCutIsToldAndNothingHangs() throws {
    let png = try ImageCodec.encodePNG(Self.picture(7))
    let jpeg = try ImageCodec.encodeJPEG(Self.picture(100), quality: 50)
    for whole in [png, jpeg] {
      for length in stride(from: 1, to: whole.count, by: 7) {
        let found = try Self.contents(Array(whole.prefix(length)) + png)
        // A length that was cut off may swallow what follows.
        #expect(found.first != "20x12 7" && !found.isEmpty, "\(length): \(found)")
      }
    }
  }

  @Test func aPictureHasNoMoreBytesThanAllowed() throws {
    var limits = CaptureLimits()
    limits.frameFileBytes = 1000
    let large = try ImageCodec.encodeJPEG(
      RGBImage(width: 64, height: 64, pixels: (0..<64 * 64 * 3).map { UInt8($0 * 7919 % 251) }), quality: 100)
    let png = try ImageCodec.encodePNG(Self.picture(7))
    let found = try Self.contents(large + png, limits: limits)
    #expect(found.first == "a picture of more than 1000 bytes" && found.last == "20x12 7", "\(found)")
    limits = CaptureLimits()
    limits.pixels = 100
    #expect(try Self.contents(png, limits: limits).first?.contains("100") == true)
  }

  /// Gain maps, films, phones' blocks and padding belong to the photograph before them.
  @Test func whatLiesBehindAPhotographIsNone() throws {
    let main = try ImageCodec.encodeJPEG(Self.picture(100), quality: 100)
    let map = try ImageCodec.encodeJPEG(Self.picture(20, width: 8, height: 8), quality: 90)
    let png = try ImageCodec.encodePNG(Self.picture(7))
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    /// The picture with a segment after its first.
    func inserted(_ marker: [UInt8], _ segment: [UInt8]) -> [UInt8] {
      let parts: [[UInt8]] = [
        Array(main[..<20]), marker, number(segment.count + 2, 2), segment, Array(main[20...]),
      ]
      return Array(parts.joined())
    }
    /// The picture with an index (CIPA DC-007) of itself and one more.
    func indexed(_ length: Int, _ size: Int) -> [UInt8] {
      let entry: [[UInt8]] = [
        number(0, 4), number(size, 4), number(0, 8), number(0, 4), number(length, 4), number(size - 28, 4),
        number(0, 4),
      ]
      let head: [[UInt8]] = [
        Array("MPF\0MM\0*".utf8), number(8, 4), number(1, 2), number(0xb002, 2), number(7, 2), number(32, 4),
        number(26, 4), number(0, 4),
      ]
      return inserted([0xff, 0xe2], Array((head + entry).joined()))
    }
    let ultra = indexed(map.count, indexed(0, 0).count)
    let container = Array(
      "http://ns.adobe.com/xap/1.0/\0<x Item:Semantic=\"GainMap\" Item:Length=\"\(map.count)\"/>".utf8)
    let listed = inserted([0xff, 0xe1], container)
    let boxes: [[UInt8]] = [
      number(24, 4), Array("ftypmp42".utf8), number(0, 12), number(8 + main.count, 4), Array("mdat".utf8),
      main,
      number(8, 4), Array("moov".utf8),
    ]
    let film = Array(boxes.joined())
    let block: [UInt8] = [0, 0, 0x30, 0x0a, 16, 0, 0, 0] + Array("MotionPhoto_Data".utf8)
    let blocks: [[UInt8]] = [main, block, main, Array("SEFHxxxxSEFT".utf8)]
    let all: [[UInt8]] = [ultra, map, number(0, 3), film, number(0, 2)]
    let files: [String: [UInt8]] = [
      "gain map": ultra + map, "padded": main + number(0, 4000), "film": main + film,
      "container": listed + map, "blocks": Array(blocks.joined()), "all": Array(all.joined()),
    ]
    for (name, file) in files {
      let found = try Self.contents(file + file + png)
      #expect(found.count == 3 && found[2] == "20x12 7", "\(name): \(found)")
      #expect(found.dropLast().allSatisfy { $0.hasPrefix("20x12 ") }, "\(name): \(found)")
    }
    // What was taken off is not looked for in the next file.
    #expect(try Self.contents(ultra + png + Array(listed) + png).count == 4)
  }

  /// The bytes after a picture are read when the next one is wanted: a program may wait for this one's
  /// results.
  @Test func aPictureIsHandedOutWithoutTheNext() throws {
    var ends: [Int32] = [-1, -1]
    let made = unsafe pipe(&ends)
    #expect(made == 0)
    let picture = try ImageCodec.encodePNG(Self.picture(7))
    let written = unsafe picture.withUnsafeBytes { unsafe write(ends[1], $0.baseAddress, $0.count) }
    #expect(written == picture.count)
    let stream = try PictureStream(.pipe("/proc/self/fd/\(ends[0])"))
    #expect(try stream.next() != nil)
    close(ends[1])
    #expect(try stream.next() == nil)
    close(ends[0])
  }

  @Test func rowsOfBytes() throws {
    let frame = Self.picture(9).pixels + Self.picture(11).pixels
    let size = PixelSize(width: 20, height: 12)
    #expect(try Self.contents(frame, rawSize: size) == ["20x12 9", "20x12 11"])
    let part = try Self.contents(frame.dropLast(5), rawSize: size)
    #expect(part == ["20x12 9", "a picture of 715 bytes at the end, not of 720"])
    var limits = CaptureLimits()
    limits.pixels = 239
    #expect(throws: StreamError.self) { try Self.contents(frame, rawSize: size, limits: limits) }
  }

  @Test func whatUsersName() throws {
    let place = try TemporaryDirectory()
    #expect(StreamSource("-") == .standardInput)
    #expect(StreamSource("clip.MP4") == .film("clip.MP4"))
    #expect(StreamSource("photo.jpg") == nil && StreamSource(place.path) == nil)
    try FileManager.default.createDirectory(
      atPath: place.file("folder.mp4"), withIntermediateDirectories: true)
    #expect(StreamSource(place.file("folder.mp4")) == nil)
    #expect(StreamSource("/dev/null") == .device("/dev/null"))
    let camera = StreamSource("rtsp://me:secret@10.0.0.2:554/a@b")
    #expect(camera == .address("rtsp://me:secret@10.0.0.2:554/a@b"))
    #expect(camera?.name == "rtsp://...@10.0.0.2:554/a@b")
    #expect(StreamSource("HTTPS://host/x?y=@")?.name == "HTTPS://host/x?y=@")
    let fifo = Process()
    fifo.executableURL = URL(fileURLWithPath: "/usr/bin/mkfifo")
    fifo.arguments = [place.file("fifo")]
    try fifo.run()
    fifo.waitUntilExit()
    #expect(StreamSource(place.file("fifo")) == .pipe(place.file("fifo")))
  }

  /// A program in the place of `ffmpeg`.
  private static func ffmpeg(_ script: String, in place: TemporaryDirectory) throws -> (
    film: String, ffmpeg: String
  ) {
    let path = try place.writeProgram("#!/bin/sh\n" + script, to: "ffmpeg")
    return (try place.write("film", to: "clip.mp4"), path)
  }

  @Test func picturesOfAFilm() throws {
    let place = try TemporaryDirectory()
    let (film, ffmpeg) = try Self.ffmpeg(
      """
      echo "$@" > "$0.arguments"
      for level in 061 062; do printf 'P6\\n6 6\\n255\\n'; printf "%0108d" 0 | tr 0 "\\\\$level"; done
      """, in: place)
    #expect(try Self.contents(of: PictureStream(.film(film), ffmpeg: ffmpeg)) == ["6x6 49", "6x6 50"])
    let arguments = String(decoding: try place.read("ffmpeg.arguments"), as: UTF8.self)
    #expect(arguments.contains("-protocol_whitelist file -f mov -i file:"), "\(arguments)")
  }

  /// Metadata of frames (MPEG-2 has time codes) is no complaint.
  @Test(
    .enabled(if: (try? FFmpeg()) != nil, "ffmpeg is not installed"),
    arguments: [
      ("ts", "mpeg2video"), ("mpg", "mpeg1video"), ("vob", "mpeg2video"), ("mp4", "mpeg4"), ("avi", "mjpeg"),
      ("webm", "vp8"), ("mov", "prores"), ("mkv", "ffv1"), ("gif", "gif"), ("flv", "flv1"), ("wmv", "wmv2"),
    ])
  func wholeFilmsOfAFormatHaveNoDamage(ending: String, codec: String) throws {
    let place = try TemporaryDirectory()
    let film = place.file("film.\(ending)")
    try FFmpeg().run(
      ["-f", "lavfi", "-i", "testsrc=size=48x32:rate=25:duration=0.4", "-c:v", codec, film], about: film)
    let found = try Self.contents(of: PictureStream(.film(film)))
    #expect(found.count == 10 && found.allSatisfy { $0.hasPrefix("48x32 ") }, "\(found)")
  }

  /// Times come with the pictures, inside other messages too; what is no time is a complaint still.
  @Test func picturesHaveTheFilmsTimes() throws {
    let place = try TemporaryDirectory()
    let (film, ffmpeg) = try Self.ffmpeg(
      """
      number=0
      for time in 0 33367 NOPTS 1500000; do
        printf 'frame:%-4d pts:%-7s pts_time:0.033\\nardf=time\\n' $number $time >&2
        printf 'P6\\n6 6\\n255\\n%0108d' 0
        number=$((number + 1))
      done
      printf '[h264 @ 0x55aa] frame:4    pts:9000000 pts_time:9\\nardf=time\\nconcealing errors\\n' >&2
      """, in: place)
    let stream = try PictureStream(.film(film), ffmpeg: ffmpeg)
    var times: [Double?] = []
    var complaints: [String] = []
    while let picture = try stream.next() {
      times.append(picture.time)
      if case .damaged(let reason) = picture.content { complaints.append(reason) }
    }
    #expect(times == [0, 0.033367, 0.033367, 1.5, 9])
    #expect(complaints.count == 1 && complaints[0].contains("h264: concealing errors"), "\(complaints)")
    // A program that says no times gives none.
    let (other, silent) = try Self.ffmpeg("printf 'P6\\n6 6\\n255\\n%0108d' 0", in: place)
    #expect(try PictureStream(.film(other), ffmpeg: silent).next()?.time == nil)
  }

  /// However long a film is, what is kept of the messages stays small, and no time is lost.
  @Test func timesOfLongFilms() throws {
    let place = try TemporaryDirectory()
    let count = 30_000
    let (film, ffmpeg) = try Self.ffmpeg(
      """
      echo 'partial file' >&2
      number=0
      while [ $number -lt \(count) ]; do
        printf 'frame:%-4d pts:%-7d pts_time:0\\nardf=time\\n' $number ${number}0000 >&2
        printf 'P6\\n1 1\\n255\\nabc'
        number=$((number + 1))
      done
      """, in: place)
    let stream = try PictureStream(.film(film), ffmpeg: ffmpeg)
    for number in 0..<count { #expect(try stream.next()?.time == Double(number) / 100) }
    guard case .damaged(let reason) = try #require(try stream.next()).content else {
      Issue.record("what the program complained of at first is forgotten")
      return
    }
    #expect(reason.contains("partial file"))
  }

  @Test func aProgramThatFailsIsQuoted() throws {
    let place = try TemporaryDirectory()
    let (film, ffmpeg) = try Self.ffmpeg(
      """
      printf 'P6\\n6 6\\n255\\n%0108d' 0
      echo 'device unplugged' >&2
      exit 1
      """, in: place)
    let stream = try PictureStream(.film(film), ffmpeg: ffmpeg)
    #expect(try stream.next() != nil)
    #expect(throws: StreamError.media(.ffmpeg(file: film, message: "device unplugged"))) { try stream.next() }
    #expect(try stream.next() == nil)
  }

  @Test func aProgramThatPrintsSomethingElse() throws {
    let place = try TemporaryDirectory()
    let (film, ffmpeg) = try Self.ffmpeg("echo hello; sleep 60", in: place)
    let stream = try PictureStream(.film(film), ffmpeg: ffmpeg)
    #expect(throws: StreamError.noPicture(name: film)) { try stream.next() }
    #expect(throws: StreamError.media(.file(.missing(path: place.file("nowhere"))))) {
      try PictureStream(.film(film), ffmpeg: place.file("nowhere"))
    }
    #expect(throws: StreamError.file(.missing(path: place.file("gone.mp4")))) {
      try PictureStream(.film(place.file("gone.mp4")), ffmpeg: ffmpeg)
    }
  }

  /// Pictures that are there are done; that there may have been more is reported as damage.
  @Test func aComplaintOfAProgramThatGoesOnIsTold() throws {
    let place = try TemporaryDirectory()
    let (film, ffmpeg) = try Self.ffmpeg(
      "echo 'partial file' >&2; printf 'P6\\n6 6\\n255\\n%0108d' 0; echo 'mmco: unref short failure' >&2",
      in: place)
    let found = try Self.contents(of: PictureStream(.film(film), ffmpeg: ffmpeg))
    #expect(found == ["6x6 48", "ffmpeg: partial file: pictures may be missing or wrong"])
    let (same, quiet) = try Self.ffmpeg(
      "printf 'P6\\n6 6\\n255\\n%0108d' 0; echo 'mmco: unref short failure' >&2", in: place)
    #expect(try Self.contents(of: PictureStream(.film(same), ffmpeg: quiet)) == ["6x6 48"])
  }

  /// A message of ffmpeg that a camera closed is no damage; one that data are missing is.
  @Test func aCameraThatClosesDamagesNothing() throws {
    let place = try TemporaryDirectory()
    let picture = "printf 'P6\\n6 6\\n255\\n%0108d' 0; "
    let end = "echo 'in#0/mpjpeg: Error during demuxing: Input/output error' >&2"
    let (film, closed) = try Self.ffmpeg(
      picture + "echo 'http: Stream ends prematurely at 9, should be 18446744073709551615' >&2; " + end,
      in: place)
    let camera = StreamSource.address("http://camera/stream")
    #expect(try Self.contents(of: PictureStream(camera, ffmpeg: closed)) == ["6x6 48"])
    #expect(try Self.contents(of: PictureStream(.film(film), ffmpeg: closed)).count == 2)
    let (_, cut) = try Self.ffmpeg(
      picture + "echo 'http: Stream ends prematurely at 9, should be 20' >&2; " + end, in: place)
    let found = try Self.contents(of: PictureStream(camera, ffmpeg: cut))
    #expect(found.count == 2 && found.last?.contains("should be 20:") == true, "\(found)")
  }

  /// A camera that cannot be reached or is lost may be there later; one that answers without pictures will not.
  @Test func aCameraThatIsNotThereIsNoDamagedInput() throws {
    let place = try TemporaryDirectory()
    let camera = StreamSource.address("rtsp://camera/live")
    func fault(_ script: String) throws -> FileFormats.Fault? {
      let (_, ffmpeg) = try Self.ffmpeg(script + " >&2; exit 1", in: place)
      let stream = try PictureStream(camera, ffmpeg: ffmpeg)
      do {
        while try stream.next() != nil {}
        return nil
      } catch { return error.fault }
    }
    #expect(try fault("echo 'Connection refused'") == .unavailable)
    #expect(try fault("printf 'P6\\n6 6\\n255\\n%0108d' 0; echo 'Connection timed out'") == .inputOutput)
    #expect(try fault("echo 'Invalid data found when processing input'") == .malformedInput)
  }

  /// Films are recognized by their content, pictures too, whatever they are called.
  @Test func contentTellsFilmsFromPictures() throws {
    let place = try TemporaryDirectory()
    let jpeg = try ImageCodec.encodeJPEG(Self.picture(1))
    let box: [UInt8] = [0, 0, 0, 24] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 12)
    let names = [
      "film.jpg": (box, "mov"), "film.mkv": (box, "mov"), "film": (box, "mov"),
      "film.mp4": ([0x1a, 0x45, 0xdf, 0xa3, 0], "matroska"),
      "other.mp4": (Array("RIFF....AVI LIST".utf8), "avi"),
      "packets.mpg": ((0..<600).map { $0 % 188 == 0 ? 0x47 : 0 }, "mpegts"),
    ]
    for (name, (bytes, demuxer)) in names {
      let path = try place.write(bytes, to: name)
      #expect(StreamSource(path) == .film(path), "\(name)")
      #expect(try FFmpeg.input(path).contains(demuxer), "\(name)")
    }
    let picture = try place.write(jpeg, to: "picture.mp4")
    #expect(StreamSource(picture) == nil)
    let heic = try place.write(Array("\0\0\0\u{18}ftypheic".utf8), to: "picture.heic")
    #expect(StreamSource(heic) == nil)
    #expect(throws: MediaError.empty(file: place.file("none.mp4"))) {
      try FFmpeg.input(place.write("", to: "none.mp4"))
    }
  }

  @Test func anEndlessProgramIsEndedWithTheStream() throws {
    let place = try TemporaryDirectory()
    let (film, ffmpeg) = try Self.ffmpeg(
      "echo $$ > \"$0.pid\"; while :; do printf 'P6\\n6 6\\n255\\n%0108d' 0; done", in: place)
    do {
      let stream = try PictureStream(.film(film), ffmpeg: ffmpeg)
      for _ in 0..<500 { #expect(try stream.next() != nil) }
    }
    let text = String(decoding: try place.read("ffmpeg.pid"), as: UTF8.self)
    let id = try #require(Int32(text.filter(\.isNumber)))
    #expect(kill(id, 0) != 0, "it still runs")
  }
}
