extension FieldWord {
  private static let detecting: Set = ["run", "detect", "replay", "serve", "soak"]
  private static let looking: Set = ["run", "detect", "depth"]
  /// The commands whose argument is a weight file.
  private static let ofWeights: Set = ["bench", "profile", "tune", "quantize", "inspect", "convert"]
  private static let computing =
    detecting.union(ofWeights).subtracting(["convert", "quantize"]).union([
      "depth", "verify", "trace", "evaluate", "infer",
    ])
  private static let writing: Set = [
    "run", "detect", "depth", "replay", "fuse", "place", "compose", "infer", "evaluate", "quantize", "trace",
    "verify", "tune", "profile", "bench", "merge", "simulate", "report", "demo", "weights", "capture",
  ]
  private static let sized: Set = ["bench", "profile", "tune", "verify", "trace", "inspect"]

  // MARK: - What is read

  static let inputs = [
    value(
      ["model", "weights", "m"], (detecting.union(["demo"]), .option("--yolo")),
      (["depth"], .option("--depth")), (ofWeights, .argument)),
    value(["m"], (["verify", "trace", "evaluate"], .option("--weights"))),
    value(["model", "m"], (["evaluate"], .option("--weights")), (["infer"], .argument)),
    value(["onnx"], (ofWeights.union(["infer"]).subtracting(["convert", "quantize"]), .argument)),
    value(["yolo"], (["evaluate", "trace", "verify"], .option("--weights")), (ofWeights, .argument)),
    value(["depth"], (["evaluate", "trace", "verify"], .option("--weights"))),
    value(["depth"], (["fuse"], .answer(ofFusing))),
    value(["lidar"], (["fuse"], .option("--capture"))),
    value(["source", "input", "image", "i"], (ofCaptures, .option("--capture")), (["capture"], .argument)),
    value(["load-from"], (["depth"], .option("--depth"))),
    value(
      ["source", "input", "image", "images", "img-path", "i"],
      (["run", "detect", "depth", "serve", "replay"], .argument), (["demo"], .answer(ofDemo))),
    value(["source", "image", "images", "img-path", "i"], (["trace"], .option("--input"))),
    value(
      ["source", "image", "images", "i"], (["evaluate"], .argument),
      (["infer"], .answer("inputs have names: --input NAME=FILE; ardf inspect model.onnx lists them"))),
    value(["photo", "frame", "conf"], (["demo"], .answer(ofDemo))),
    value(
      ["data"],
      (
        ["evaluate"],
        .answer(
          "labels are read where they lie: give the folder that has images/ and labels/, or a folder of pictures with "
            + "--annotations of COCO")
      ),
      (["quantize"], .answer("give pictures like those to come: --calibrate PICTURES")),
      (["tune"], .answer(ofTuning))),
    value(["epochs", "iterations", "space"], (["tune"], .answer(ofTuning))),
    value(["split"], (["evaluate"], .answer("give the folder of one split, with its images/ and labels/"))),
    value(
      ["imgsz", "img", "img-size", "image-size", "input-size"], (["depth"], .side("--depth-size")),
      (sized, .square("--size")), (detecting.union(["evaluate"]), .side("--imgsz"))),
    value(
      ["camera", "fx", "fy", "cx", "cy", "focal", "focal-length"],
      (
        ["run", "fuse", "place"],
        .answer("--intrinsics FX,FY,CX,CY states the camera of plain pictures; a capture has its own")
      )),
    value(
      ["shape", "input-shape", "data-shape", "overridden-shapes"],
      (
        sized,
        .answer("pictures have height and width: --size 640x640; free axes of an .onnx file follow --axis")
      ),
      (
        ["infer"],
        .answer("free axes are fixed by their names: --axis batch=1; ardf inspect model.onnx lists them")
      )),
    value(
      ["task", "mode", "encoder"],
      (
        ["depth"],
        .answer(
          "the network follows from the weights, --depth FILE or a name such as metric-indoor; leave it out")
      ),
      (looking, .answer("what is found follows from the weights; leave it out"))),
    value(
      ["max-depth"],
      (
        ["depth"],
        .answer("it belongs to the weights: ardf convert FILE.pth FILE.safetensors --max-depth METERS")
      )
    ),
    flag(
      ["metric"],
      (["depth"], .answer("meters come with the weights: --depth metric-indoor, or metric-outdoor"))),
    flag(["stream", "stream-buffer"], (looking, .done)),
    value(
      ["vid-stride"],
      (
        looking.union(["replay"]),
        .answer(
          "every picture of a film is worked on; make a film of fewer: ffmpeg -i FILM -vf fps=5 FEWER.mp4")
      )),
    value(
      ["slice", "slice-size", "tile-size"], (["run", "detect"], .option("--tile"))),
    value(
      ["slice-height", "slice-width"],
      (["run", "detect"], .answer("tiles are squares: --tile PIXELS, for example --tile 640"))),
    value(
      ["overlap-ratio", "overlap-height-ratio", "overlap-width-ratio"],
      (["run", "detect"], .option("--overlap"))),
    flag(
      ["augment", "tta"], (looking, .answer("pictures are evaluated once, as they are; leave it out"))),
    value(["fps"], (["replay"], .option("--rate"))),
    value(["codec", "vcodec", "crf"], (["replay"], .answer(ofFilms))),
    flag(["loop"], (["replay"], .answer("--repeat N plays the sequence N times"))),
    value(["tracker"], (["run", "detect"], .option("--track"))),
    value(
      ["track", "tracker"],
      (
        ["depth", "replay", "serve", "evaluate"],
        .answer(
          "objects get identities by ardf detect SEQUENCE --track bytetrack, and by ardf run with the same option"
        )
      )),
    flag(["persist"], (looking.union(["replay"]), .done)),
    value(
      ["speed"],
      (["replay"], .answer("--max-speed plays as fast as possible, --rate at so many frames a second"))),
  ]

  /// The commands that take the capture by an option.
  private static let ofCaptures: Set = ["fuse", "place", "compose", "report"]
  private static let ofFusing =
    "relative depth, as ardf depth writes it, follows --relative; readings are those of --capture"
  private static let ofDemo =
    "the demo shows a capture of its own; for yours: ardf run photo.jpg --out results"
  private static let ofFilms =
    "--video writes replay.mp4; make another film of it: ffmpeg -i replay.mp4 OTHER"
  private static let ofTuning =
    "nothing is trained: ardf tune WEIGHTS --out plan.json measures which algorithms are fastest on this machine"

  // MARK: - What is written

  private static let ofExports =
    "ardf convert writes the weights alone, for pictures of any size; leave it out"

  /// As the option was spelled.
  private static let labeledOfOld = "label" + "led"

  static let outputs = [
    value(
      ["project", "name", "runs-dir"],
      (
        looking.union(["evaluate", "replay"]),
        .answer("results go to the folder that --out names, which is whole or absent")
      )),
    value(["output"], (writing.subtracting(["bench"]), .option("--out"))),
    value(["output-dir", "outdir", "save-dir"], (writing, .option("--out"))),
    value(
      ["out", "output", "input", "o"],
      (
        ["convert"],
        .answer("the two files have no options before them: ardf convert best.pt best.safetensors")
      )),
    value(
      ["format", "include"],
      (
        ["convert"],
        .answer("ardf convert writes .safetensors, which all commands read; yolo export writes others")
      )),
    flag(["dynamic", "simplify", "nms"], (["convert"], .answer(ofExports))),
    value(["opset"], (["convert"], .answer(ofExports))),
    value(
      ["trace"],
      (["profile"], .answer("--report trace --out FILE.json writes a trace that Perfetto opens"))),
    flag(["list"], (["weights"], .answer("ardf weights list says what there is"))),
    flag(["y"], (writing, .words(["--force"]))),
    flag(
      ["exist-ok", "overwrite"],
      (writing, .answer("--force replaces an existing --out that ardf wrote"))),
    flag(["save", "save-frames", "save-numpy"], (looking, .done)),
    flag(
      ["nosave", "no-save"], (looking, .answer("--out - prints results as JSON and writes no folder"))),
    flag(
      ["save-txt", "save-conf", "save-json", "save-crop", "save-csv"],
      (["depth"], .answer(ofColors)),
      (
        looking,
        .answer(
          "detections.json and masks are always written; --format csv, coco or dota writes lists of all objects"
        )
      ),
      (["evaluate"], .answer("--out FOLDER keeps evaluation.json and what was found as COCO results"))),
    flag(["plots"], (["evaluate"], .answer("nothing is plotted; --report csv and json have the numbers"))),
    flag(
      ["show", "view-img", "display"],
      (
        looking.union(["replay"]),
        .answer("no window is opened: look at the pictures in --out, or in the browser with ardf serve")
      )),
    flag(["hide-labels", "hide-conf"], (["depth"], .answer(ofColors)), (looking, .answer(ofDrawing))),
    value(
      ["line-width", "line-thickness", "font-size"], (["depth"], .answer(ofColors)),
      (looking, .answer(ofDrawing))),
    value(
      ["show-labels", "show-conf", "show-boxes"], usual: ["True", "true", "1"],
      (["depth"], .answer(ofColors)),
      (looking, .answer(ofDrawing))),
    flag(["pred-only", "grayscale"], (["depth"], .answer(ofColors))),
    value(["colormap", "cmap"], (["depth"], .answer(ofColors))),
    flag(["visualize"], (looking, .answer(ofFeatures))),
    value(["embed"], (looking, .answer(ofFeatures))),
    flag(["verbose", "v"], (nil, .done)),
    flag(["json"], (["bench", "profile", "evaluate"], .words(["--report", "json"]))),
    flag(["json"], (["simulate", "merge"], .done), (["serve"], .words(["--log=json"]))),
    value([labeledOfOld], (["verify"], .option("--labeled"))),
    value(
      ["host", "bind", "address", "http-port"],
      (["serve"], .answer("--listen ADDRESS:PORT says where, for example --listen 0.0.0.0:8765"))),
    value(
      ["model-repository", "model-store"],
      (["serve"], .answer("--models takes weights and names, for example --models yolo11n-seg"))),
    value(
      ["token", "api-key"],
      (["serve"], .answer("--token-file FILE holds the token, so that no list of processes shows it"))),
  ]

  private static let ofDrawing =
    "the annotated picture is drawn in one way; detections.json has all to draw another of"
  private static let ofColors = "relative.npy holds the depth as numbers, relative.jpg in color; leave it out"
  private static let ofFeatures = "ardf trace --weights FILE --input PICTURE writes every layer's result"

  // MARK: - What is kept

  static let thresholds = [
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
    value(
      ["rtol", "atol"],
      (["verify"], .answer("--tol PATTERN=ABSOLUTE,RELATIVE says both, for example --tol '*=1e-5,1e-4'"))),
  ]

  // MARK: - How it is computed

  private static let ofProcessors =
    "networks are computed on the processor, on all of its cores unless --threads says less; leave it out"

  private static let ofOneProcessor = "everything is computed on the processor; leave it out"

  static let computation = [
    value(
      ["device", "d", "compute-units"], usual: ["cpu", "CPU", "AUTO", "CPU_ONLY"],
      (computing, .answer(ofProcessors)), (nil, .answer(ofOneProcessor))),
    value(
      ["providers", "provider", "execution-provider", "ep", "e"], usual: ["CPUExecutionProvider", "cpu"],
      (computing, .answer(ofProcessors))),
    value(
      ["gpu-id", "gpus", "accelerator"], (computing, .answer(ofProcessors)), (nil, .answer(ofOneProcessor))),
    flag(
      ["gpu", "cuda", "vulkan", "mps"], (computing, .answer(ofProcessors)), (nil, .answer(ofOneProcessor))),
    flag(["cpu"], (computing, .done)),
    flag(["dnn"], (looking, .answer("one engine computes all networks; leave it out"))),
    flag(
      ["half", "fp16", "int8"],
      (
        ["convert"],
        .answer(
          "weights are converted as they are: --precision of other commands says what is computed in, and ardf quantize "
            + "writes weights of 8 bits")
      )),
    flag(
      ["half", "amp"],
      (
        computing,
        .answer(
          "networks are computed in fp32 unless --precision says otherwise: bf16 (AVX-512 BF16, AMX, arm64) or fp16 "
            + "(arm64)")
      ), (nil, .answer("no precision is chosen here; leave it out"))),
    flag(["fp32"], (computing, .words(["--precision", "fp32"]))),
    flag(["fp16"], (computing, .words(["--precision", "fp16"]))),
    flag(["bf16"], (computing, .words(["--precision", "bf16"]))),
    flag(["int8"], (computing, .words(["--precision", "int8"])), (["quantize"], .done)),
    flag(
      ["int4", "fp8"], (computing, .answer("8 bits are the least: --precision int8")),
      (["quantize"], .answer(ofBits))),
    value(["bits"], usual: ["8"], (["quantize"], .answer(ofBits))),
    flag(
      ["per-channel", "symmetric"], (["quantize"], .done)),
    value(["model-input", "input-model", "input"], (["quantize"], .argument)),
    value(["model-output", "output-model"], (["quantize"], .option("--out"))),
    value(["dtype"], (computing, .answer("--precision takes fp32, bf16, fp16, int16 or int8"))),
    value(
      ["batch", "batch-size", "b"], usual: ["1"],
      (
        ["bench", "profile"],
        .answer("one input is measured at a time; bench --streams N runs several side by side")
      ),
      (
        computing,
        .answer(
          "each picture is worked on as it comes, and none waits for others to make a batch; leave it out")
      ), (nil, .answer("nothing is worked on in batches; leave it out"))),
    value(
      ["num-workers", "num-threads", "nthreads", "intra-op-num-threads", "jobs", "j"],
      (computing.subtracting(["inspect"]).union(["quantize"]), .option("--threads"))),
    value(
      ["workers"], (computing.subtracting(["inspect", "serve"]).union(["quantize"]), .option("--threads"))),
    // Its name in the first releases.
    value(["lanes"], (["serve"], .option("--workers"))),
    value(["iterations", "niter", "loops", "iters", "loop-count", "repeat"], (["bench"], .option("--runs"))),
    value(["niter", "loops", "iters", "loop-count", "repeat"], (["tune"], .option("--runs"))),
    value(
      ["runs", "niter", "loops", "iters", "loop-count", "repeat"], (["profile"], .option("--iterations"))),
    value(["nireq", "nstreams"], (["bench"], .option("--streams"))),
    value(
      ["time", "duration"],
      (["bench"], .answer("--runs N says how often the network runs, for example --runs 100"))),
    value(
      ["optimization-level", "opt-level", "graph-optimization-level"],
      (computing, .answer("all optimizations are on; leave it out"))),
    value(
      ["hint", "api"],
      (["bench", "profile"], .answer("latency is measured; ardf bench --streams N measures throughput"))),
    value(["warmup"], (["bench", "profile"], .option("--warm-up"))),
  ]

  private static let ofBits = "weights of 8 bits alone are written; leave it out"
}
