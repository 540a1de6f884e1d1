/// A word of other detectors' command lines, and what it means to the commands that lack an option of that name.
package struct FieldWord {
  package enum Meaning: Equatable {
    /// The same as an option of ours, value and all.
    case option(String)
    /// Its value is what our command takes without an option's name.
    case argument
    /// The same as these words of ours.
    case words([String])
    /// A side of a square, which our option has as height and width.
    case square(String)
    /// What is done anyway.
    case done
    /// Something else, or nothing that there is: what to say.
    case answer(String)
  }

  /// Its spellings, without dashes before them.
  package let names: [String]
  /// Whether a value follows.
  package let takesValue: Bool
  /// Values that ask for nothing but what is done anyway.
  package let usual: Set<String>
  /// What it means to each of some commands; nil for all commands.
  package let meanings: [(verbs: Set<String>?, meaning: Meaning)]

  private init(
    _ names: [String], takesValue: Bool, usual: Set<String> = [],
    _ meanings: [(verbs: Set<String>?, meaning: Meaning)]
  ) {
    (self.names, self.takesValue, self.usual, self.meanings) = (names, takesValue, usual, meanings)
  }

  /// What it means to a command; nil where that must know it itself.
  package func meaning(to verb: String) -> Meaning? {
    meanings.first { $0.verbs?.contains(verb) ?? true }?.meaning
  }
}

extension FieldWord {
  private static let detecting: Set = ["run", "detect", "replay", "serve", "soak"]
  private static let looking: Set = ["run", "detect", "depth"]
  /// Whose argument is a weight file.
  private static let ofWeights: Set = ["bench", "profile", "tune", "quantize", "inspect", "convert"]
  private static let computing =
    detecting.union(ofWeights).subtracting(["convert", "quantize"]).union([
      "depth", "verify", "trace", "evaluate", "infer",
    ])
  private static let writing: Set = [
    "run", "detect", "depth", "replay", "fuse", "place", "compose", "infer", "evaluate", "quantize", "trace",
    "verify", "tune", "profile", "merge", "simulate", "report",
  ]
  private static let sized: Set = ["bench", "profile", "tune", "verify", "trace", "inspect"]

  private static func value(
    _ names: [String], usual: Set<String> = [], _ meanings: (verbs: Set<String>?, meaning: Meaning)...
  ) -> FieldWord {
    FieldWord(names, takesValue: true, usual: usual, meanings)
  }

  private static func flag(
    _ names: [String], _ meanings: (verbs: Set<String>?, meaning: Meaning)...
  ) -> FieldWord {
    FieldWord(names, takesValue: false, meanings)
  }

  /// All of them.
  package static let all: [FieldWord] = inputs + outputs + thresholds + computation

  private static let inputs = [
    value(
      ["model", "weights"], (detecting, .option("--yolo")), (["depth"], .option("--depth")),
      (ofWeights, .argument)),
    value(["model"], (["evaluate"], .option("--weights")), (["infer"], .argument)),
    value(
      ["source", "input", "images", "img-path"],
      (["run", "detect", "depth", "serve", "replay"], .argument)),
    value(["source"], (["evaluate"], .argument)),
    value(
      ["data"],
      (
        ["evaluate"],
        .answer(
          "labels are read where they lie: give the folder that has images/ and labels/, or a folder of pictures with "
            + "--annotations of COCO")
      )),
    value(
      ["imgsz", "img", "img-size", "image-size", "input-size"], (["depth"], .option("--depth-size")),
      (sized, .square("--size"))),
    value(
      ["img", "img-size", "image-size", "input-size"], (detecting.union(["evaluate"]), .option("--imgsz"))),
    value(
      ["task", "mode", "encoder"],
      (looking, .answer("what is found follows from the weights; leave it out"))),
    flag(["stream"], (looking, .done)),
    flag(
      ["augment", "tta"], (looking, .answer("pictures are evaluated once, as they are; leave it out"))),
  ]

  /// As the option was spelled.
  private static let labeledOfOld = "label" + "led"

  private static let outputs = [
    value(
      ["project", "name", "runs-dir"],
      (
        looking.union(["evaluate", "replay"]),
        .answer("results go to the folder that --out names, which is whole or absent")
      )),
    value(["output", "output-dir", "outdir", "save-dir"], (writing, .option("--out"))),
    flag(
      ["exist-ok", "overwrite"],
      (looking.union(["evaluate", "replay"]), .answer("--force replaces an existing --out that ardf wrote"))),
    flag(["save"], (looking, .done)),
    flag(
      ["nosave", "no-save"], (looking, .answer("--out - prints results as JSON and writes no folder"))),
    flag(
      ["save-txt", "save-conf", "save-json", "save-crop", "save-csv"],
      (
        looking,
        .answer(
          "detections.json and masks are always written; --format csv, coco or dota writes lists of all objects"
        )
      )),
    flag(
      ["show", "view-img", "display"],
      (
        looking.union(["replay"]),
        .answer("no window is opened: look at the pictures in --out, or in the browser with ardf serve")
      )),
    flag(["verbose"], (nil, .done)),
    flag(["json"], (["bench", "profile", "evaluate"], .words(["--report", "json"]))),
    flag(["json"], (["simulate", "merge"], .done), (["serve"], .words(["--log=json"]))),
    flag(["quiet"], (["infer"], .done)),
    value([labeledOfOld], (["verify"], .option("--labeled"))),
  ]

  private static let thresholds = [
    value(
      ["conf-thres", "conf-threshold", "confidence", "score-threshold", "threshold"],
      (detecting.union(["evaluate"]), .option("--conf"))),
    value(
      ["iou-thres", "iou-threshold", "nms-iou"], (detecting.union(["evaluate"]), .option("--iou"))),
    value(["class"], (detecting.union(["evaluate"]), .option("--classes"))),
    flag(["retina-masks"], (detecting.union(["evaluate"]), .words(["--masks", "retina"]))),
    flag(
      ["agnostic-nms", "agnostic"],
      (detecting.union(["evaluate"]), .answer("boxes of different classes are never compared; leave it out"))),
  ]

  private static let computation = [
    value(
      ["device"], usual: ["cpu", "CPU"],
      (
        computing,
        .answer("networks are computed on the processor, on all of its cores unless --threads says less")
      )),
    flag(
      ["half", "amp"],
      (
        computing,
        .answer(
          "networks are computed in fp32 unless --precision says otherwise: bf16 (AVX-512 BF16, AMX, arm64) or fp16 "
            + "(arm64)")
      )),
    flag(["fp32"], (computing, .words(["--precision", "fp32"]))),
    flag(["fp16"], (computing, .words(["--precision", "fp16"]))),
    flag(["bf16"], (computing, .words(["--precision", "bf16"]))),
    flag(["int8"], (computing, .words(["--precision", "int8"]))),
    value(["dtype"], (computing, .answer("--precision takes fp32, bf16, fp16, int16 or int8"))),
    value(
      ["batch", "batch-size"], usual: ["1"],
      (
        ["bench", "profile"],
        .answer("one input is measured at a time; bench --streams N runs several side by side")
      ),
      (
        computing,
        .answer(
          "each picture is worked on as it comes, and none waits for others to make a batch; leave it out")
      )),
    value(
      ["workers", "num-threads", "jobs"],
      (computing.subtracting(["inspect"]).union(["quantize"]), .option("--threads"))),
    value(["iterations"], (["bench"], .option("--runs"))),
    value(["runs"], (["profile"], .option("--iterations"))),
    value(["warmup"], (["bench", "profile"], .option("--warm-up"))),
  ]

  /// Commands of others, and what does the same here.
  package static let commands: [(name: String, answer: String)] = [
    ("predict", "ardf detect finds objects, ardf run measures them too"),
    ("segment", "ardf detect finds masks with the weights of a -seg network"),
    ("pose", "ardf detect finds key points with the weights of a -pose network"),
    ("obb", "ardf detect finds oriented boxes with the weights of an -obb network"),
    ("classify", "ardf detect tells what pictures are of with the weights of a -cls network"),
    ("track", "ardf detect --track bytetrack follows objects through films and sequences"),
    ("val", "ardf evaluate measures accuracy"),
    ("validate", "ardf evaluate measures accuracy"),
    ("benchmark", "ardf bench measures speed"),
    ("train", "ardf trains nothing; it runs checkpoints of your own as they are (--yolo best.pt)"),
    (
      "export",
      "ardf runs checkpoints as they are (--yolo best.pt), and ardf convert makes .safetensors of them"
    ),
    ("download", "ardf weights get fetches published checkpoints"),
  ]
}
