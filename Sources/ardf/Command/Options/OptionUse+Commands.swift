import AppCore
import FileFormats

extension Serve: ModalCommand {
  static let optionUses: [OptionUse<Serve>] = [
    .options(
      ["--capture", "--frame", "--port", "--yolo", "--depth"],
      "is for the page; with --models all networks are named there, and --listen says where"
    ) { !$0.servesModels },
    .options(["--max-frames", "--max-json"], "is for captures; with --models there are none") {
      !$0.servesModels
    },
    .options(
      [
        "--workers", "--max-queue", "--timeout", "--max-body", "--max-connections", "--deepstack",
        "--no-auth",
      ],
      "goes with --models; the page is for this machine, or for who has its token"
    ) { $0.servesModels },
    .options(
      ["--log"],
      "goes with --models, and so does --json, which means --log json: a line for each request; the page has no log, "
        + "leave it out"
    ) { $0.servesModels },
    .options(["--capture"], "goes with a folder of results, and says what they were made from") {
      // What is not there is named as missing.
      $0.source.map { !fileExists($0) || FinishedFolder.exists($0) } ?? false
    },
    .options(["--frame"], "goes with SOURCE, a capture of several frames") { $0.source != nil },
  ]
}

extension Run: ModalCommand {
  static let optionUses: [OptionUse<Run>] = [
    .options(
      ["--picture-format", "--usda", "--usdz", "--pfm", "--depth-scale"],
      "is about files: give --out DIR, and no --keep but --keep all"
    ) { $0.writesFiles },
    .options(["--masks-rle"], "goes with --out - or --json") { $0.batch.keepsRecords || $0.printsLines },
    .options(["--depth-unit"], "goes with --depth-map, or with --from") {
      $0.picture.depthMap != nil || $0.batch.from != nil
    },
    .options(["--depth-size", "--fusion", "--fit"], "goes with a depth network; --depth none leaves it out") {
      $0.depthOptions.depth != WeightFiles.noDepth
    },
    .options(
      ["--live", "--raw-size", "--stall", "--reconnect", "--on-change"],
      "belongs to a film, a pipe (-), a camera or an address; --keep and --from take none"
    ) { !$0.batch.keepsRecords },
    .options(
      ["--sensor", "--sensor-range"],
      "is about a capture's depth; a film, pipe, camera or address has none"
    ) { run in !run.sources.contains { StreamSource($0) != nil } },
  ]
}

extension Detect: ModalCommand {
  static let optionUses: [OptionUse<Detect>] = [
    .options(["--picture-format"], "goes with --out DIR: standard output has no pictures") {
      !$0.output.isStandardOutput
    }
  ]
}

extension Depth: ModalCommand {
  static let optionUses: [OptionUse<Depth>] = [
    .options(["--picture-format"], "goes with --out DIR: standard output has no pictures") {
      !$0.output.isStandardOutput
    }
  ]
}

extension Fuse: ModalCommand {
  static let optionUses: [OptionUse<Fuse>] = [
    .options(["--pfm", "--depth-scale"], "goes with --out DIR") { !$0.output.isStandardOutput },
    .options(["--depth-unit"], "goes with --depth-map") { $0.picture.depthMap != nil },
  ]
}

extension Place: ModalCommand {
  static let optionUses: [OptionUse<Place>] = [
    .options(["--usda", "--usdz"], "goes with --out DIR") { !$0.output.isStandardOutput },
    .options(["--depth-unit"], "goes with --depth-map") { $0.picture.depthMap != nil },
  ]
}

extension Capture.Check: ModalCommand {
  static let optionUses: [OptionUse<Capture.Check>] = [
    .options(["--depth-unit"], "goes with --depth-map") { $0.picture.depthMap != nil }
  ]
}

extension Capture.Native: ModalCommand {
  static let optionUses: [OptionUse<Capture.Native>] = [
    .options(["--depth-unit"], "goes with --depth-map") { $0.picture.depthMap != nil }
  ]
}

extension Replay: ModalCommand {
  static let optionUses: [OptionUse<Replay>] = [
    .noted(
      [
        "--yolo", "--imgsz", "--rect", "--conf", "--iou", "--nms", "--classes", "--max-det", "--masks",
        "--depth",
        "--depth-size", "--fusion", "--fit", "--precision", "--plan",
      ], "left out: nothing is detected without --effect, --tap, --detect-every or --at"
    ) { $0.replay.detects },
    .options(["--assets", "--seed"], "goes with --effect or --tap") { $0.replay.placesEffects },
    .options(["--ffmpeg"], "goes with --video or --assets") {
      $0.pictures.video || $0.replay.assets != nil
    },
    .options(["--video"], "goes with --out DIR") { !$0.output.isStandardOutput },
    .options(["--frames"], "goes with --out DIR") {
      $0.pictures.frames == ReplayOutput.Pictures.none || !$0.output.isStandardOutput
    },
  ]
}
