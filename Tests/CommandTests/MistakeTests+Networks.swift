extension MistakeTests {
  /// Of the commands on weights and networks.
  static let ofNetworks = #"""
    # weights
    64 weights get | <name>
    64 weights get yolo12n | yolo12n: no such checkpoint | yolo11n
    64 weights get yolov5s | yolov5s: no such checkpoint | did you mean yolov8s
    64 weights get sam | yolo11n-seg | metric-indoor | metric-outdoor | ardf weights list
    64 weights get yolo11n-segg | did you mean yolo11n-seg
    64 weights get det.safetensors | no such checkpoint
    64 weights get yolo11n yolo11s | one network is fetched at a time
    64 weights get --list | ardf weights list
    64 weights get yolo11n --forse | Did you mean '--force'?
    73 weights get yolo11n --out notes.txt | notes.txt: not a directory
    64 weights download yolo11n | ardf weights get yolo11n
    64 weights yolo11n-seg | ardf weights get yolo11n-seg
    64 weights lst | did you mean weights list?
    64 weights list yolo | Unexpected argument 'yolo': all are listed | ardf weights get yolo
    64 weights list --jsn | Did you mean '--json'?
    # convert
    64 convert | <input>
    64 convert det.safetensors | <output>
    66 convert nowhere.pt o.safetensors | nowhere.pt: no such file
    66 convert yolo11n-seg o.safetensors | ardf weights get yolo11n-seg
    65 convert p.png o.safetensors | is a picture (PNG)
    65 convert notes.txt o.safetensors | notes.txt
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
    # inspect
    66 inspect nowhere.pt | nowhere.pt: no such file
    66 inspect nowhere | yolo11n-seg
    65 inspect p.png | is a picture (PNG)
    65 inspect cap | ardf capture check cap
    65 inspect checkpoint notes.txt | notes.txt
    64 inspect det.safetensors extra | Unexpected argument 'extra'
    64 inspect weight det.safetensors | did you mean inspect weights?
    64 inspect kernel | did you mean inspect kernels?
    64 inspect gpu | ardf inspect cpu
    64 inspect weights | <file>
    66 inspect weights yolo11n | ardf weights get yolo11n
    65 inspect weights pics | is a directory
    64 inspect weights det.safetensors --jsonn | Did you mean '--json'?
    64 inspect graph | <weights>
    65 inspect graph p.png | is a picture (PNG)
    65 inspect graph det.safetensors --imgsz 63 | multiples of 32
    64 inspect plan | <weights>
    64 inspect plan det.safetensors --size 64 | HEIGHTxWIDTH
    65 inspect plan det.safetensors --size 63x64 | multiples of 32
    64 inspect plan det.safetensors --half | --precision
    64 inspect plan det.safetensors --precision int4 | - int8
    66 inspect plan det.safetensors --plan nowhere | nowhere: no such file
    64 inspect kernels det.safetensors | Unexpected argument 'det.safetensors'
    64 inspect operators Conv | Unexpected argument 'Conv'
    64 inspect cpu --device gpu | on the processor
    # infer
    64 infer | <model.onnx>
    64 infer m.onnx | --out <folder>
    66 infer nowhere.onnx --out o | nowhere.onnx: no such file
    69 infer det.safetensors --out o | holds weights and no graph | ardf detect --yolo
    65 infer p.png --out o | is a picture (PNG)
    65 infer notes.txt --out o | not an ONNX model
    66 infer pics --out o | pics/model.onnx: no such file
    65 infer m.onnx --out o | images
    64 infer m.onnx p.png --out o | --input NAME=p.png
    64 infer m.onnx --source p.png --out o | --input NAME=FILE
    64 infer m.onnx --out o --input x | NAME=FILE
    65 infer m.onnx --out o --input foo=p.png | no input "foo" | "images"
    66 infer m.onnx --out o --input images=no.png | no.png: no such file
    65 infer m.onnx --out o --input images=notes.txt | no picture of a known format
    65 infer m.onnx --out o --input images=cap/depth.npy | has shape
    65 infer m.onnx --out o --input images=p.png | give --resize
    64 infer m.onnx --out o --input images=p.png --resize 64 | HEIGHTxWIDTH
    64 infer m.onnx --out o --input images=p.png --std 0,0,0 | nothing is divided by 0
    64 infer m.onnx --out o --input images=p.png --providers CUDAExecutionProvider | on the processor
    73 infer m.onnx --out taken --input images=p.png | --force
    # evaluate
    64 evaluate pics | --weights <file>
    64 evaluate --weights det.safetensors | <source>
    66 evaluate nowhere --weights det.safetensors | nowhere: no such file
    66 evaluate pics --weights det.safetensors | images/ and labels/
    66 evaluate empty --weights det.safetensors | images/ and labels/
    66 evaluate images --weights det.safetensors | .: there is no labels folder in it
    65 evaluate p.png --weights det.safetensors | is no folder | images/ and labels/
    65 evaluate coco.yaml --weights det.safetensors | is no folder | images/ and labels/
    64 evaluate data=coco.yaml model=det.safetensors | images/ and labels/
    65 evaluate pics --weights p.png | is a picture (PNG)
    66 evaluate pics --weights nowhere | yolo11n-seg
    66 evaluate pics --weights cls.safetensors | CLASS/NAME.jpg
    65 evaluate pics --weights depth.safetensors | no depth of a sensor
    64 evaluate pics p.png --weights det.safetensors | give one folder
    66 evaluate pics --weights det.safetensors --annotations no.json | no.json
    65 evaluate pics --weights det.safetensors --annotations notes.txt | notes.txt: JSON
    64 evaluate pics --weights det.safetensors --precision fp8 | or auto
    64 evaluate pics --weights det.safetensors --depth-size 42 | goes with depth networks
    64 evaluate pics --weights det.safetensors --protocol voc | 'coco' and 'ultralytics'
    64 evaluate pics --weights det.safetensors --iou 50 | from 0 to 1
    64 evaluate pics --weights det.safetensors --batch 16 | leave it out
    64 evaluate pics --weights det.safetensors --split val | one split
    64 evaluate pics --weights det.safetensors --save-json | --out FOLDER
    64 evaluate pics --weights det.safetensors --plots | --report csv
    # quantize
    64 quantize | <weights>
    64 quantize det.safetensors --calibrate pics | --out <file.safetensors>
    64 quantize det.safetensors --out o.safetensors | --calibrate PICTURES
    64 quantize det.safetensors --data coco.yaml --out o.safetensors | --calibrate PICTURES
    66 quantize nowhere.pt --calibrate pics --out o.safetensors | nowhere.pt: no such file
    65 quantize p.png --calibrate pics --out o.safetensors | is a picture (PNG)
    66 quantize det.safetensors --calibrate nowhere --out o.safetensors | nowhere: no such file
    65 quantize det.safetensors --calibrate empty --out o.safetensors | the folder is empty
    65 quantize det.safetensors --calibrate notes.txt --out o.safetensors | notes.txt
    64 quantize det.safetensors --calibrate pics --out o.onnx | must end in .safetensors
    65 quantize det.safetensors --calibrate pics --out det.safetensors | is the input det.safetensors itself
    64 quantize det.safetensors --calibrate pics --out o.safetensors --bits 4 | weights of 8 bits alone
    64 quantize det.safetensors --calibrate pics --out o.safetensors --int4 | weights of 8 bits alone
    64 quantize det.safetensors --calibrate pics --calibrate-count 0 --out o.safetensors | from 4 to 10000
    64 quantize det.safetensors --calibrat pics --out o.safetensors | Did you mean '--calibrate'?
    """#
}
