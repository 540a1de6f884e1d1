import AppCore
import FileFormats

/// Where the results of one or more frames go, with what is said about all of them.
final class ResultsFolder {
  private let folder: OutputFolder?
  private let selection: FrameSelection
  private var summaries: [(index: Int, summary: JSONValue)] = []

  /// Refuses, before any work is done, a folder that may not be written.
  ///
  /// - Parameter files: Files that are read besides the source.
  init(_ output: OutputOptions, selection: FrameSelection, files: [String?]) throws {
    folder = try output.folder(inputs: [selection.source.path] + files)
    self.selection = selection
  }

  /// The folder of a frame's results; nil where only the summary is asked for, on standard output.
  func folder(of index: Int) -> OutputFolder? {
    selection.isSingle ? folder : folder?.subfolder(FrameSelection.folderName(index))
  }

  func add(_ index: Int, _ summary: JSONValue) { summaries.append((index, summary)) }

  /// Gives the folder its name and prints what was asked for.
  func finish(_ detections: inout DetectionsSink, json: Bool) throws {
    if let folder {
      if let list = detections.list { try folder.write(list, to: "detections.json") }
      if !selection.isSingle { try folder.write(index, to: "index.json") }
      try folder.commit()
    }
    if folder == nil || json {
      try Console.print(selection.isSingle ? summaries[0].summary : index)
    }
  }

  /// The content of `index.json`.
  private var index: JSONValue {
    [
      "schema": "ardf.index/1", "layout": .string(selection.source.layout.rawValue),
      "frames": .array(
        summaries.map { index, summary in
          let reference = selection.source.frames[index]
          return [
            "folder": .string(FrameSelection.folderName(index)), "name": .string(reference.name),
            "timestamp": .number(reference.timestamp), "summary": summary,
          ]
        }),
      "skipped": .array(
        selection.source.skipped.map { ["name": .string($0.name), "reason": .string($0.reason)] }),
    ]
  }
}
