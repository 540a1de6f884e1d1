extension MistakeTests {
  /// Mistakes with commands on weights and networks.
  static let ofNetworks = #"""
    # weights
    64 weights get | <name>
    64 weights get yolo12n | yolo12n: no such checkpoint | yolo11n
    64 weights get yolov5s | yolov5s: no such checkpoint | did you mean yolov8s
    64 weights get sam | yolo11n-seg | metric-indoor | metric-outdoor | ardf weights list
    64 weights get depth-anything-v2-large | CC-BY-NC-4.0 | ardf convert | depth_anything_v2_vits
    64 weights get yolo11n-segg | did you mean yolo11n-seg
    64 weights get det.safetensors | no such checkpoint
    64 weights get dav2s-ardf-fp16 | comes with ardf and is not fetched
    64 weights get yolo11n yolo11s | one network is fetched at a time
    64 weights get --list | ardf weights list
    64 weights get yolo11n --out o.safetensors | results lie in a folder | --out o
    64 weights get yolo11n --forse | Did you mean '--force'?
    73 weights get yolo11n --out notes.txt | notes.txt: is a file, not a folder; choose another name
    64 weights download yolo11n | ardf weights get yolo11n
    64 weights yolo11n-seg | ardf weights get yolo11n-seg
    64 weights lst | did you mean weights list?
    64 weights get https://a.b/yolo11n.pt | give one name | ardf weights list
    64 weights get yolo11n,yolo11s | give one name
    64 weights get yolo11n-seg.safetensors | did you mean yolo11n-seg
    64 weights get yolo11-seg | did you mean yolo11n-seg
    64 weights get yolov10n | did you mean yolo11n
    # weights list
    64 weights list yolo | Unexpected argument 'yolo': all are listed | ardf weights get yolo
    64 weights list --jsn | Did you mean '--json'?
    64 weights list yolo11n yolo11s | ardf weights get yolo11n
    64 weights list det.safetensors | ardf weights get det.safetensors
    64 weights list --out o | leave it out
    64 weights list --force | leave it out
    64 weights list --format json | ardf detect
    64 weights list --weights yolo11n | ardf evaluate
    64 weights list --json5 | Did you mean '--json'?
    64 weights list --remote | Unknown option '--remote'
    64 weights list --task seg | Unknown option '--task'
    64 weights list -l | Unknown option '-l'.
    # convert
    64 convert | <input>
    64 convert det.safetensors | <output>
    66 convert nowhere.pt o.safetensors | nowhere.pt: no such file
    66 convert yolo11n-seg o.safetensors | ardf weights get yolo11n-seg
    65 convert p.png o.safetensors | is a picture (PNG)
    65 convert notes.txt o.safetensors | notes.txt: is a text
    65 convert pics o.safetensors | is a directory
    64 convert m.onnx o.onnx | must end in .safetensors
    64 convert det.safetensors taken | must end in .safetensors
    64 convert --input det.safetensors --output o.safetensors | ardf convert best.pt best.safetensors
    64 convert det.safetensors --out o.safetensors | ardf convert best.pt best.safetensors
    64 convert model=det.safetensors format=onnx | yolo export
    64 convert det.safetensors o.safetensors --half | ardf quantize
    64 convert a.pt b.safetensors c | ardf convert best.pt best.safetensors
    64 convert depth.safetensors o.safetensors --max-depth far | --max-depth
    65 convert det.safetensors o.safetensors --max-depth 20 | leave it out
    66 convert https://a.b/c.pt o.safetensors | download it
    66 convert x*.pt o.safetensors | a pattern is not a file
    64 convert depth.safetensors o.safetensors --max-depth 20,5 | --max-depth 20.5
    64 convert yolo11n.pt yolo11n.onnx | must end in .safetensors
    73 convert m.onnx notes.txt/o.safetensors | notes.txt: is a file, not a folder; choose another name
    73 convert m.onnx nowhere/o.safetensors | nowhere: there is no such folder
    73 convert m.onnx det.safetensors | --force
    64 convert --weights best.pt --include onnx | yolo export
    64 convert best.pt o.safetensors --opset 17 | for pictures of any size; leave it out
    64 convert best.pt o.safetensors --dynamic | for pictures of any size; leave it out
    64 convert best.pt o.safetensors --precision fp16 | leave it out
    # inspect
    66 inspect nowhere.pt | nowhere.pt: no such file
    66 inspect nowhere | yolo11n-seg
    65 inspect p.png | is a picture (PNG)
    65 inspect notes.txt | notes.txt: is a text
    65 inspect cap | ardf capture check cap
    65 inspect checkpoint notes.txt | notes.txt: is a text
    64 inspect det.safetensors extra | Unexpected argument 'extra'
    64 inspect weight det.safetensors | did you mean inspect weights?
    64 inspect kernel | did you mean inspect kernels?
    64 inspect gpu | ardf inspect cpu
    66 inspect checkpoint nowhere.pt | nowhere.pt: no such file
    65 inspect checkpoint p.png | is a picture (PNG)
    65 inspect checkpoint cap | ardf capture check cap
    65 inspect checkpoint empty | is a folder
    65 inspect checkpoint results/relative.npy | is a NumPy array
    64 inspect checkpoint det.safetensors cls.safetensors | one file is shown
    66 inspect checkpoint https://a.b/c.pt | download it
    66 inspect checkpoint x*.pt | a pattern is not a file
    64 inspect checkpoint det.safetensors --jsn | Did you mean '--json'?
    66 inspect checkpoint yolo11n | ardf weights get yolo11n
    66 inspect checkpoint yolo12n | yolo11n-seg
    # inspect weights
    64 inspect weights | <file>
    66 inspect weights yolo11n | ardf weights get yolo11n
    65 inspect weights pics | is a directory
    64 inspect weights det.safetensors --jsonn | Did you mean '--json'?
    66 inspect weights nowhere.safetensors | nowhere.safetensors: no such file
    65 inspect weights notes.txt | notes.txt: is a text
    65 inspect weights p.png | is a picture (PNG)
    65 inspect weights results/relative.npy | is a NumPy array
    66 inspect weights https://a.b/c.safetensors | download it
    66 inspect weights x*.safetensors | a pattern is not a file
    64 inspect weights det.safetensors cls.safetensors | one file is shown
    64 inspect weights det.safetensors --tensor x | Unknown option '--tensor'
    64 inspect weights det.safetensors --half | --precision
    # inspect graph
    64 inspect graph | <weights>
    65 inspect graph p.png | is a picture (PNG)
    65 inspect graph det.safetensors --imgsz 63 | multiples of 32
    66 inspect graph nowhere.pt | nowhere.pt: no such file
    65 inspect graph notes.txt | notes.txt
    65 inspect graph m.onnx | m.onnx: is an ONNX file | ardf inspect plan
    65 inspect graph det.ref.safetensors | holds no network known here
    65 inspect graph pics | is a directory
    66 inspect graph yolo12n | yolo11n-seg
    64 inspect graph det.safetensors --size 64,64 | HEIGHTxWIDTH
    64 inspect graph det.safetensors p.png | one file is shown
    66 inspect graph https://a.b/c.pt | download it
    # inspect plan
    64 inspect plan | <weights>
    64 inspect plan det.safetensors --size 64 | HEIGHTxWIDTH
    65 inspect plan det.safetensors --size 63x64 | multiples of 32
    64 inspect plan det.safetensors --half | --precision
    64 inspect plan det.safetensors --precision int4 | - int8
    66 inspect plan det.safetensors --plan nowhere | nowhere: no such file
    65 inspect plan pics | is a directory
    65 inspect plan det.safetensors --plan p.png | is a picture (PNG), not JSON | ardf tune
    64 inspect plan det.safetensors cls.safetensors | one file is shown
    64 inspect plan det.safetensors --arena o.png | --arena o.png: a .svg file is written | ends in .svg
    64 inspect plan m.onnx --axis n | NAME=SIZE
    64 inspect plan det.safetensors --axis n=1 | is not an ONNX file
    # inspect kernels
    64 inspect kernels det.safetensors | Unexpected argument 'det.safetensors'
    64 inspect kernels conv | ardf inspect plan
    64 inspect kernels conv gemm | ardf inspect plan
    64 inspect kernels --jsn | Did you mean '--json'?
    64 inspect kernels --gpu | on the processor
    64 inspect kernels --device gpu | on the processor
    64 inspect kernels --threads 4 | leave it out
    64 inspect kernels --precision fp16 | leave it out
    64 inspect kernels --out o | leave it out
    64 inspect kernels --isa avx2 | Unknown option '--isa'
    64 inspect kernels --list | Unknown option '--list'
    # inspect operators
    64 inspect operators Conv | Unexpected argument 'Conv'
    64 inspect operators m.onnx | ardf inspect FILE
    64 inspect operators Conv Relu | ardf inspect FILE
    64 inspect operators --jsn | Did you mean '--json'?
    64 inspect operators --device cuda | on the processor
    64 inspect operators --threads 4 | leave it out
    64 inspect operators --out o | leave it out
    64 inspect operators --opset 17 | Unknown option '--opset'
    64 inspect operators --op Conv | Unknown option '--op'
    64 inspect operators --all | Unknown option '--all'
    # inspect cpu
    64 inspect cpu --device gpu | on the processor
    64 inspect cpu gpu | ardf inspect FILE
    64 inspect cpu det.safetensors | ardf inspect FILE
    64 inspect cpu 0 | Unexpected argument '0'
    64 inspect cpu --gpu | on the processor
    64 inspect cpu --half | --precision
    64 inspect cpu --jsn | Did you mean '--json'?
    64 inspect cpu --threads 4 | leave it out
    64 inspect cpu --precision bf16 | leave it out
    64 inspect cpu --out o | leave it out
    64 inspect cpu --all | Unknown option '--all'
    # infer
    64 infer | <model.onnx>
    64 infer m.onnx | --out <folder>
    66 infer nowhere.onnx --out o | nowhere.onnx: no such file
    69 infer det.safetensors --out o | holds weights and no graph | ardf detect --yolo
    65 infer p.png --out o | is a picture (PNG) | give an .onnx file
    65 infer notes.txt --out o | notes.txt: is a text | give an .onnx file
    65 infer cap.zip --out o | cap.zip: is a zip archive | give an .onnx file
    64 infer yolo11n-seg --out o | ardf detect PICTURE --yolo yolo11n-seg
    64 infer metric-indoor --out o | ardf depth PICTURE --depth depth_anything_v2_metric_hypersim_vits
    66 infer pics --out o | pics/model.onnx: no such file
    65 infer m.onnx --out o | the input "images" is missing; add --input images=FILE
    64 infer m.onnx p.png --out o | --input NAME=p.png
    64 infer m.onnx --source p.png --out o | --input NAME=FILE
    64 infer m.onnx --out o --input x | NAME=FILE
    65 infer m.onnx --out o --input foo=p.png | no input "foo" | "images"
    66 infer m.onnx --out o --input images=no.png | no.png: no such file
    65 infer m.onnx --out o --input images=notes.txt | no picture of a known format
    65 infer m.onnx --out o --input images=cap/depth.npy | has shape
    65 infer m.onnx --out o --input images=p.png | give --resize 64x64
    64 infer m.onnx --out o --input images=p.png --resize 64 | HEIGHTxWIDTH
    64 infer m.onnx --out o --input images=p.png --std 0,0,0 | nothing is divided by 0
    64 infer m.onnx --out o --input images=p.png --providers CUDAExecutionProvider | on the processor
    73 infer m.onnx --out taken --input images=p.png | --force
    64 infer m.onnx --out o --input images=p.png --resize 64,64 | HEIGHTxWIDTH
    64 infer m.onnx --out o --input images=p.png --resize 64x64 --mean 0.4,0.4 | each channel
    64 infer m.onnx --out o --input p.png | NAME=FILE
    64 infer m.onnx --out o --input images= | NAME=FILE
    64 infer m.onnx --out o.npy --input images=p.png | results lie in a folder
    64 infer m.onnx --out o --input images=p.png --conf 0.5 | ardf detect
    64 infer m.onnx --out o --shape images:1,3,64,64 | --axis batch=1
    66 infer https://a.b/m.onnx --out o --input images=p.png | download it
    66 infer x*.onnx --out o --input images=p.png | a pattern is not a file
    # evaluate
    64 evaluate pics | --weights <file>
    64 evaluate --weights det.safetensors | <source>
    66 evaluate nowhere --weights det.safetensors | nowhere: no such file
    66 evaluate pics --weights det.safetensors | images/ and labels/
    66 evaluate empty --weights det.safetensors | images/ and labels/
    66 evaluate images --weights det.safetensors | .: there is no labels folder in it
    65 evaluate p.png --weights det.safetensors | is not a folder | images/ and labels/
    65 evaluate coco.yaml --weights det.safetensors | is not a folder | images/ and labels/
    64 evaluate data=coco.yaml model=det.safetensors | images/ and labels/
    65 evaluate pics --weights p.png | is a picture (PNG)
    66 evaluate pics --weights nowhere | yolo11n-seg
    66 evaluate pics --weights cls.safetensors | CLASS/NAME.jpg
    65 evaluate pics --weights depth.safetensors | no depth of a sensor
    64 evaluate pics p.png --weights det.safetensors | give one folder
    66 evaluate pics --weights det.safetensors --annotations no.json | no.json
    65 evaluate pics --weights det.safetensors --annotations notes.txt | notes.txt: is not JSON | instances_val2017.json
    65 evaluate pics --weights det.safetensors --annotations p.png | is a picture (PNG), not JSON
    64 evaluate pics --weights det.safetensors --precision fp8 | or auto
    64 evaluate pics --weights det.safetensors --depth-size 42 | goes with depth networks
    64 evaluate pics --weights det.safetensors --protocol voc | 'coco' and 'ultralytics'
    64 evaluate pics --weights det.safetensors --iou 50 | from 0 to 1
    64 evaluate pics --weights det.safetensors --batch 16 | leave it out
    64 evaluate pics --weights det.safetensors --split val | one split
    64 evaluate pics --weights det.safetensors --save-json | --out FOLDER
    64 evaluate pics --weights det.safetensors --plots | --report csv
    64 evaluate cap --weights depth.safetensors --depth-size 100 | multiple of 14
    64 evaluate cap --weights depth.safetensors --sensor-range 0 | give meters
    64 evaluate cap --weights depth.safetensors --conf 0.5 | --conf goes with detectors
    64 evaluate pics --weights det.safetensors --conf 0,01 | --conf 0.01
    64 evaluate pics --weights det.safetensors --out o.json | --report json > o.json
    64 evaluate pics --weights det.safetensors --classes unicorn | knows no unicorn
    73 evaluate pics --weights det.safetensors --out taken | --force
    66 evaluate pics --weights https://a.b/c.pt | download it
    65 evaluate pics --yolo p.png | is a picture (PNG)
    # quantize
    64 quantize | <weights>
    64 quantize det.safetensors --calibrate pics --out o.safetensors --device cuda | on the processor
    64 quantize det.safetensors --calibrate pics --out o.safetensors --half | leave it out
    64 quantize det.safetensors --calibrate pics | --out <file.safetensors>
    64 quantize det.safetensors --out o.safetensors | --calibrate PICTURES
    64 quantize det.safetensors --data coco.yaml --out o.safetensors | --calibrate PICTURES
    66 quantize nowhere.pt --calibrate pics --out o.safetensors | nowhere.pt: no such file
    65 quantize p.png --calibrate pics --out o.safetensors | is a picture (PNG)
    66 quantize det.safetensors --calibrate nowhere --out o.safetensors | nowhere: no such file
    65 quantize det.safetensors --calibrate empty --out o.safetensors | the folder is empty
    65 quantize det.safetensors --calibrate taken --out o.safetensors | holds neither pictures
    65 quantize det.safetensors --calibrate p.png bad.png --out o.safetensors | 1 of 2 pictures cannot be read; mend or remove
    65 quantize det.safetensors --calibrate notes.txt --out o.safetensors | notes.txt
    64 quantize det.safetensors --calibrate pics --out o.onnx | must end in .safetensors
    65 quantize det.safetensors --calibrate pics --out det.safetensors | is the input det.safetensors itself
    64 quantize det.safetensors --calibrate pics --out o.safetensors --bits 4 | weights of 8 bits alone
    64 quantize det.safetensors --calibrate pics --out o.safetensors --int4 | weights of 8 bits alone
    64 quantize det.safetensors --calibrate pics --calibrate-count 0 --out o.safetensors | from 4 to 10000
    64 quantize --model_input m.onnx --model_output q.onnx --calibrate pics --per-channel | q.onnx: the output's name must end in
    64 quantize det.safetensors --calibrat pics --out o.safetensors | Did you mean '--calibrate'?
    64 quantize det.safetensors --calibrate pics --max-error 0,04 --out o.safetensors | --max-error 0.04
    64 quantize det.safetensors --calibrate pics --max-error 4 --out o.safetensors | between 0 and 1
    64 quantize det.safetensors pics --out o.safetensors | --calibrate
    66 quantize yolo12n --calibrate pics --out o.safetensors | yolo11n-seg
    65 quantize det.safetensors --calibrate depth.safetensors --out o.safetensors | holds a network
    73 quantize det.safetensors --calibrate pics --out cls.safetensors | --force
    """#
}
