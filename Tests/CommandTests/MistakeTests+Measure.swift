extension MistakeTests {
  /// Mistakes with commands that measure captures.
  static let ofMeasuring = #"""
    # run
    66 run p.jpg --out o | p.jpg: no such file or folder; check the path
    64 run p.png | --out <dir>
    64 run p.png --outt o | Unknown option '--outt'. Did you mean '--out'?
    64 run --out o | no SOURCES
    64 run p.png --out o.jpg DET | results lie in a folder | --out o
    64 detect p.png --out o.PNG DET | results lie in a folder | --out o
    64 detect p.png --out o.csv --format csv DET | results lie in a folder | --out - > o.csv
    64 depth p.png --out o.npy | results lie in a folder | --out o
    64 replay cap --out o.mp4 --video | results lie in a folder | --out o
    64 demo --out o.jpg | results lie in a folder | --out o
    66 run p.png --out o | ardf weights get yolo11n-seg | --yolo FILE
    66 run --source p.png --weights best.pt --out o | best.pt: no such file
    64 run p.png --out o --half | --precision | bf16
    64 run p.png --out o --device cuda | on the processor | --threads
    64 run p.png --out o --gpu | on the processor | --threads
    64 run p.png --out o --batch 8 | leave it out
    64 run p.png --out o --show | ardf serve
    64 run p.png project=runs | --out
    64 run p.png --out o -conf 0.3 | Did you mean '--conf'?
    64 --conf 0.3 run p.png --out o | ardf run --conf 0.3 p.png --out o
    65 run p.png --out o --yolo p.png | p.png: is a picture (PNG) | .safetensors
    65 run p.png --out o --yolo cap/frame.json | is JSON | .safetensors
    65 run p.png --out o --yolo pics | pics: is a directory, a file is needed
    65 run p.png --out o --yolo depth.safetensors | ardf depth and ardf run take it as --depth
    65 run p.png --out o --yolo cls.safetensors | holds a classifier | ardf detect runs it
    65 run p.png --out o DET --depth det.safetensors | ardf detect and ardf run take it as --yolo
    66 run p.png --out o DET --depth no | --depth none needs none
    65 run det.safetensors --out o DET | holds a network, not pictures | --yolo
    65 run det.safetensors p.png --out o | det.safetensors: holds a network | ardf run p.png --yolo det.safetensors
    65 run p.png depth.safetensors --out o | depth.safetensors: holds a network | ardf run p.png --depth depth.safetensors
    65 run yolo11n-seg p.png pics cap --out o | name of a network | ardf run p.png pics ... --yolo yolo11n-seg
    65 detect cls.safetensors p.png --out o | ardf detect p.png --yolo cls.safetensors
    65 depth depth.safetensors p.png --out o | ardf depth p.png --depth depth.safetensors
    64 run p.png --out - DET --usdz | --usdz is about files
    64 detect p.png --out - --yolo cls.safetensors --conf 0.5 | holds a classifier | leave --conf out
    73 run p.png --out taken DET | --force
    73 run p.png --out taken --force DET | was not written by ardf
    65 run p.png --out p.png DET | is the input p.png itself | another name
    64 run p.png --out o DET --frame 7 | --frame 7 | position from 0
    64 run p.png --out o DET --frames 7 | Did you mean '--frame'?
    64 run p.png --out o DET --effect bed | OBJECT=EFFECT | bed=snow
    64 run p.png --out o DET --effect 0=rain | no effect "rain" | snow
    64 run p.png --out o DET --conf 50 | --conf 50: | from 0 to 1
    64 run p.png --out o DET --conf -1 | from 0 to 1
    64 run p.png --out o DET --conf high | 'high' is invalid for '--conf
    64 run p.png --out o DET --iou 70 | from 0 to 1
    64 run p.png --out o DET --threads 0 | from 1 to 1024
    64 run p.png --out o --yolo det.safetensors --imgsz 100 | multiple of 32
    64 run p.png --out o --yolo det.safetensors --imgsz 640,480 | give one side, --imgsz 640
    64 run p.png --out o --yolo det.safetensors --imgsz 640 480 | give one side, --imgsz 640
    64 run p.png --out o DET --precision fp8 | - fp32
    64 run p.png --out o DET --format yolo | 'coco'
    64 run p.png --out o DET --picture-format gif | 'jpeg' and 'png'
    64 run p.png --out o DET --sensor radar | 'lidar'
    64 run p.png --out o DET --fov 400 | degrees from 1 to 170
    64 run p.png --out o DET --intrinsics 1,2 | FX,FY,CX,CY
    64 run p.png --out o DET --depth-map d.png | --intrinsics
    64 run p.png --out o DET --depth-map d.png --fov 60 | in place of --fov give --intrinsics
    64 run p.png --out o DET --resume --force | give one of the two
    64 run p.png --out o DET --shard 3 | i/n | give I/N with I from 1 to N
    64 run p.png --out o DET --shard 10/9 | give I/N with I from 1 to N
    64 run p.png --out - DET --keep records | --keep keeps records in files | give --out DIR
    64 run p.png --out o --json DET --keep records | leave --json out
    65 run empty --out o DET | empty: the folder is empty | pictures (JPEG, PNG
    65 run notes.txt --out o DET | notes.txt: no picture of a known format
    65 run cap/depth.npy --out o DET | no picture of a known format
    66 run x*.jpg --out o DET | no file or folder has such a name
    66 run 0 --out o DET | /dev/video0
    66 run webcam --out o DET | /dev/video0
    64 run p.png --out o DET --conf 0,25 | --conf 0.25
    64 run p.png --out o DET --conf 0.2 0.3 | --conf takes one number; leave 0.3 out
    64 run p.png --out o DET --threads 2 4 | --threads takes one number
    64 run p.png --out o DET --workers x | for '--workers <threads>'
    64 run p.png --out o DET --classes person car | --classes person,car
    64 run p.png --out o --yolo det.safetensors cls.safetensors | --yolo takes one network; leave cls.safetensors out
    64 run p.png --out o DET --frame 0 1 | --frame 0 --frame 1
    64 run p.png --ouput o DET | Did you mean '--out'?
    64 run p.png --out o DET --iou 0,7 | --iou 0.7
    64 run p.png --out o DET --fov 60,5 | --fov 60.5
    64 run p.png --out o DET --threads all | give a whole number
    64 run p.png --out o DET --threads -1 | from 1 to 1024
    64 run p.png --out o DET --max-pixels 5MB | 64M
    64 run p.png --out o DET --max-pixels -5 | no number below 0
    64 run p.png --out o DET --classes [0,99] | knows no 99
    64 run p.png --out o DET --classes 0 2 | --classes 0,2
    64 run p.png --out o DET --capture cap | ardf fuse
    66 run p.png --out o --yolo https://a.b/yolo11n.pt | https://a.b/yolo11n.pt | download it
    66 run p.png --out o --yolo yolov11n | did you mean yolo11n
    66 run https://a.b/bus.jpg --out o DET | ffmpeg
    66 run p.png,pics/a.png --out o DET | p.png,pics/a.png: no such file
    65 run p.png --out o DET --plan notes.txt | ardf: notes.txt: is not JSON | ardf tune
    64 run p.png --out o DET --effect cup:snow | OBJECT=EFFECT
    64 run p.png --out o DET --sensor-range 0 | give meters
    65 run p.png --out . DET | holds the input p.png
    64 run p.png o DET | --out <dir>
    64 run p.png --out o.zip DET | results lie in a folder
    64 run p.png --out o DET -threads 4 | -threads: an option of several letters has two dashes: --threads
    64 run p.png --out o DET --gpu-id 0 | leave it out
    64 run p.png --out o DET --fx 500 --fy 500 | --intrinsics FX,FY,CX,CY
    64 run p.png --out o --device cuda:0 | on the processor | leave it out
    73 run p.png --out /proc/o DET | /proc: nothing can be made in it; choose another name
    66 run p.png --out o --yolo best.pt | best.pt: no such file or directory; check the path, or fetch a published network
    66 run p.png --out o --yolo best.safetensors | best.safetensors: no such file or directory; check the path
    65 run p.png --out o DET --intrinsics p.png | p.png: is a picture (PNG); give FX,FY,CX,CY in pixels
    64 run p.png --out o DET -c:v libx264 | Unknown option '-c:v'.
    # detect
    66 detect p.png --out o --yolo nosuch | yolo11n-seg
    66 detect p.png --out o --yolo yolo11n-seg | ardf weights get yolo11n-seg
    66 detect p.png --out o --yolo yolo11n.pt | ardf weights get yolo11n
    65 detect p.png --out o --yolo notes.txt | notes.txt: is a text, and holds no weights | .safetensors
    65 detect p.png --out o --yolo cap.zip | cap.zip: is a zip archive | .safetensors
    65 detect p.png --out o --yolo m.onnx | with ardf infer m.onnx
    65 detect p.png --out o --yolo det.ref.safetensors | holds no network known here
    65 detect m.onnx --out o DET | holds a network, not pictures
    65 detect bad.png --out o DET | bad.png: no picture of a known format
    66 detect nosuch.jpg --out o DET | nosuch.jpg: no such file or folder
    73 detect p.png --out nowhere/o/x DET | nowhere/o: there is no such folder | mkdir -p nowhere/o
    73 detect pics -o taken DET | --force
    73 detect p.png -o notes.txt/o DET | notes.txt: is a file, not a folder; choose another name
    73 depth p.png -o notes.txt/a/o --depth depth.safetensors | notes.txt: is a file, not a folder; choose another name
    73 run p.png -o notes.txt DET | notes.txt: is a file, not a folder; choose another name
    73 run p.png -o notes.txt/o --keep records DET | notes.txt: is a file, not a folder; choose another name
    73 capture convert cap --out notes.txt/o | notes.txt: is a file, not a folder; choose another name
    64 detect p.png -m det.safetensors -i p.png --out o --save-txt | --format csv
    64 detect val data=coco.yaml | ardf evaluate
    64 detect p.png --out o DET --classes unicorn | no unicorn | ardf inspect weights
    64 detect p.png --out o DET --clases dog | Did you mean '--classes'?
    64 detect p.png --out o --yolo det.safetensors --imgsz 65 | multiple of 32
    64 detect p.png --out o DET --format xml | 'coco', 'csv'
    65 detect p.png --out o DET --format dota | oriented boxes
    64 detect p.png --out o DET --max-det 0 | from 1 to 10000
    64 detect p.png --out o DET --masks none | 'retina'
    64 detect p.png --out o DET --track bytetrack | film, camera or sequence
    64 detect p.png --out o DET --track sort | 'bytetrack'
    64 detect p.png --out o DET --gmc off | go with --track
    64 detect p.png --out o DET --track bytetrack --gmc off | --track botsort
    64 detect p.png --out o DET --track botsort --gmc ecc | 'sparse-flow'
    64 detect p.png --out o DET --track botsort --new-track-thresh 2 | from 0 to 1
    64 detect p.png --out o DET --track botsort --track-low-thresh 0.4 | is above --track-high-thresh 0.25
    66 detect p.png --out o DET --track no.yaml | no.yaml: no such file
    65 detect p.png --out o DET --tracker coco.yaml | coco.yaml: has no tracker_type
    64 detect p.png --out o DET --on-change | a film, a pipe
    64 detect p.png --out o DET --tile 0 | pixels from 32
    64 detect p.png --out o DET --line-width 2 | detections.json
    64 detect p.png --out o DET --vid-stride 2 | ffmpeg
    64 detect p.png --out o DET --visualize | ardf trace
    64 detect p.png --out o DET --dnn | leave it out
    65 detect p.png --out o DET --max-pixels 10 | raise the limit with --max-pixels
    66 detect p.png --out o DET --plan no.json | no.json: no such file
    64 detect p.png --out o DET --slice-height 512 | --tile 640
    66 detect x*.gif --out o DET | x*.gif: no file or folder has such a name
    66 detect no.gif --out o DET | no.gif: no such file
    64 detect p.png --out o DET --conf 0,25 | --conf 0.25
    64 detect p.png --out o DET --effect bed=snow | ardf place
    64 detect p.png --out o DET --overlap 0.2 | goes with --tile
    64 detect p.png --out o DET --tile 64,64 | give a whole number
    64 detect p.png --out o DET --max-det 1.5 | give a whole number
    65 detect p.png --out o --yolo depth.safetensors | ardf depth and ardf run take it as --depth
    66 detect list.txt --out o DET | list.txt: no such file or folder
    # depth
    64 depth --out o | <sources>
    64 depth p.png | --out <dir>
    64 depth p.png --json | give --out DIR
    64 depth p.png --out o --depth depth.safetensors --tracker bytetrack.yaml | ardf detect
    66 depth nowhere.jpg --out o --depth depth.safetensors | nowhere.jpg: no such file
    65 depth notes.txt --out o --depth depth.safetensors | notes.txt
    65 depth depth.safetensors --out o --depth depth.safetensors | holds a network, not pictures
    65 depth empty --out o --depth depth.safetensors | the folder is empty
    65 depth p.png --out o --depth p.png | is a picture (PNG) | .safetensors
    65 depth p.png --out o --depth det.safetensors | ardf detect and ardf run take it as --yolo
    65 depth p.png --out o --depth cls.safetensors | holds a classifier | ardf detect takes it as --yolo
    64 depth p.png --out o --save-txt | relative.npy
    64 depth p.png --out o --hide-labels | relative.npy
    65 depth p.png --out o --depth pics | is a directory
    64 depth p.png --out o --depth none | --depth none
    66 depth p.png --out o --model vits | depth_anything_v2_vits
    66 depth p.png --out o --model metric-indoor | ardf weights get
    64 depth p.png --out o --encoder vits | the network follows from the weights, --depth
    64 depth p.png --out o --depth depth.safetensors --depth-size 100 | multiple of 14
    64 depth p.png --out o --depth depth.safetensors --img-size 320 | --img-size 320: give a multiple of 14
    64 depth p.png --out o --depth depth.safetensors --input-size 518x392 | give one side, --depth-size 518
    64 depth p.png --out o --depth depth.safetensors --pred-only | relative.npy
    64 depth p.png --out o --depth depth.safetensors --max-depth 20 | ardf convert
    64 depth p.png --out o --depth depth.safetensors --metric | metric-indoor
    64 depth p.png --out o --depth depth.safetensors --precison bf16 | Did you mean '--precision'?
    73 depth pics --out taken --depth depth.safetensors | --force
    64 depth p.png --out o --depth depth.safetensors --conf 0.5 | ardf detect
    64 depth p.png --out o --depth depth.safetensors --depth-size 518,392 | give a whole number
    66 depth p.png --out o --depth vitl | depth_anything_v2_vits
    66 depth p.png --out o | ardf weights get depth_anything_v2_vits
    64 depth p.png --out o.png --depth depth.safetensors | results lie in a folder
    65 depth p.png --out p.png --depth depth.safetensors | is the input p.png itself
    # fuse
    64 fuse --capture cap --out o | --relative
    64 fuse --relative RELATIVE --out o | --capture
    64 fuse --relative RELATIVE --capture cap | --out <dir>
    64 fuse --relativ RELATIVE --capture cap --out o | Did you mean '--relative'?
    66 fuse --relative r.npy --capture cap --out o | r.npy: no such file
    65 fuse --relative p.png --capture cap --out o | p.png: is a picture (PNG); give relative.npy
    65 fuse --relative notes.txt --capture cap --out o | notes.txt: is a text; give relative.npy
    65 fuse --relative results --capture cap --out o | give the file in it: results/relative.npy
    65 fuse --relative RELATIVE --capture p.png --out o | no sensor depth
    66 fuse --relative RELATIVE --capture nowhere --out o | nowhere: no such file or folder
    65 fuse --relative RELATIVE --capture empty --out o | the folder is empty
    64 fuse --relative RELATIVE --capture cap --frame 7 --out o | position from 0
    64 fuse --relative RELATIVE --capture cap --fusion best --out o | 'guided' and 'fit'
    73 fuse --relative RELATIVE --capture cap --out taken | --force
    64 fuse RELATIVE cap --out o | Unexpected argument | --relative
    64 fuse --depth RELATIVE --capture cap --out o | follows --relative
    64 fuse --relative RELATIVE --capture cap --out o --sensor-range 0,5 | --sensor-range 0.5
    66 fuse --relative x*.npy --capture cap --out o | a pattern is not a file
    66 fuse --relative RELATIVE --capture https://a.b/c.zip --out o | download it
    64 fuse --relative RELATIVE --capture pics --out o | --frame
    65 fuse --relative RELATIVE --capture cap --out results | holds the input
    64 fuse --relative RELATIVE --capture cap --out o --threads 4 | leave it out
    # place
    64 place --capture cap --out o | --detections
    64 place --detections FOUND --capture cap | --out <dir>
    64 place --detection FOUND --capture cap --out o | Did you mean '--detections'?
    66 place --detections d.json --capture cap --out o | d.json: no such file
    65 place --detections results --capture cap --out o | give the file in it: results/detections.json
    65 place --detections results/objects.json --capture cap --out o | expected "ardf.detections/1"
    65 place --detections notes.txt --capture cap --out o | notes.txt: is not JSON
    66 place --detections FOUND --capture nowhere --out o | nowhere: no such file or folder
    64 place --detections FOUND --capture cap --frame 3 --out o | position from 0
    66 place --detections FOUND --capture cap --fusion empty --out o | empty: holds neither metric.npy nor fusion.json | ardf fuse
    64 place --detections FOUND --capture cap --out o --device cuda | on the processor
    64 place --detections FOUND --capture cap --out o --conf-thres 0.3 | stands for --conf. It belongs to
    64 place --detections FOUND --capture cap --effect rain --out o | OBJECT=EFFECT
    64 place --detections FOUND --capture cap --tap 10=smoke --out o | is not a pixel X,Y
    73 place --detections FOUND --capture cap --out taken | --force
    64 place FOUND cap --out o | Unexpected argument | --detections
    65 place --detections p.png --capture cap --out o | is a picture (PNG), not JSON | detections.json
    65 place --detections FOUND --capture cap --fusion results/fusion.json --out o | --fusion results
    64 place --objects results/objects.json --capture cap --out o | ardf compose
    64 place --detections FOUND --capture cap --effect 0=teapot --out o | no effect "teapot"
    66 place --detections https://a.b/d.json --capture cap --out o | download it
    64 place --detections FOUND --capture cap --out o.glb | results lie in a folder
    # compose
    64 compose --capture cap --out o | --detections
    64 compose --detections FOUND --out o | --capture
    64 compose --detections FOUND --capture cap | --out <dir>
    64 compose --detections FOUND --capture cap --json | give --out DIR
    64 compose results --capture cap --out o | --detections
    66 compose --detections d.json --capture cap --out o | d.json: no such file
    65 compose --detections results --capture cap --out o | results/detections.json
    65 compose --detections notes.txt --capture cap --out o | notes.txt: is not JSON
    65 compose --detections results/objects.json --capture cap --out o | expected "ardf.detections/1"
    65 compose --detections FOUND --objects results --capture cap --out o | results/objects.json
    65 compose --detections FOUND --objects FOUND --capture cap --out o | expected ardf.objects/1
    66 compose --detections FOUND --objects no.json --capture cap --out o | no.json: no such file
    65 compose --detections FOUND --capture empty --out o | the folder is empty
    73 compose --detections FOUND --capture cap --out taken | --force
    64 compose --detections FOUND --capture cap --picture-format gif --out o | 'jpeg' and 'png'
    64 compose FOUND cap --out o | Unexpected argument | --detections
    65 compose --detections FOUND --objects p.png --capture cap --out o | is a picture (PNG) | objects.json
    64 compose --detections FOUND --capture cap --effect bed=snow --out o | ardf place
    66 compose --detections x*.json --capture cap --out o | a pattern is not a file
    64 compose --detections FOUND --capture cap --frame 3 --out o | position from 0
    65 compose --detections FOUND --capture cap --out results | holds the input
    # report
    64 report --capture cap | <results>
    64 report results | --capture
    64 report results cap | --capture
    64 report results --captur cap | Did you mean '--capture'?
    66 report nowhere --capture cap | nowhere: no such file
    65 report p.png --capture p.png | p.png: is not a folder | ardf run
    66 report empty --capture cap | holds no results | ardf run
    66 report cap --capture results | cap: holds no results
    73 report results --capture cap | --force
    64 report results --capture cap --frame 7 --out o.html | position from 0
    66 report results --capture nowhere --out o.html | nowhere: no such file
    65 report results --capture empty --out o.html | the folder is empty
    73 report results --capture cap --out taken | taken: is a folder, not a file; choose another name
    64 report results --capture cap --out o.pdf | ends in .html
    64 report results --capture cap --out o.webp | a .html file is written | ends in .html
    65 report results/report.html --capture cap | is not a folder
    66 report https://a.b/r --capture cap | download it
    64 report results results --capture cap | one folder of results
    64 report results --capture pics --out o.html | --frame
    64 report results --capture cap --report json | ardf bench
    # replay
    64 replay p.png | --out <dir>
    66 replay nowhere --out o DET | nowhere: no such file or folder
    66 replay film.mp4 --out o DET | film.mp4: no such file or folder
    65 replay empty --out o DET | the folder is empty
    65 replay notes.txt --out o DET | notes.txt: no picture
    65 replay det.safetensors --out o DET | holds a network, not pictures
    64 replay p.png --out o DET --rate 0 | frames a second
    64 replay p.png --out o DET --fps 0 | frames a second
    64 replay p.png --out o DET --speed 2 | --max-speed
    64 replay p.png --out o DET --track bytetrack | ardf detect SEQUENCE --track bytetrack
    64 replay p.png --out o DET --effect bed | OBJECT=EFFECT
    64 replay p.png --out o DET --effect bed=rain | snow
    64 replay p.png --out o DET --effects bed=snow | Did you mean '--effect'?
    64 replay p.png --out o DET --tap 1,1 | X,Y=EFFECT
    64 replay p.png --out o DET --repeat 0 | from 1 to 10000
    64 replay p.png --out o DET --at 3 | position from 0
    73 replay p.png --out taken DET | --force
    66 replay p.png --out o DET --effect bed=snow --assets nowhere | nowhere: no such file
    64 replay det.safetensors cap --out o | weights follow --yolo
    64 replay p.png --out o DET --rate 0,5 | --rate 0.5
    64 replay p.png --out o DET --codec h264 | ffmpeg
    64 replay p.png --out o DET --loop | --repeat
    66 replay https://a.b/v.mp4 --out o DET | download it
    66 replay x*.mp4 --out o DET | a pattern is not a file
    65 replay bad.png --out o DET | bad.png: no picture
    # demo
    64 demo --out - | give its name
    73 demo --out taken | --force
    64 demo -o nowhere.txt | results lie in a folder
    73 demo -o notes.txt | notes.txt: is a file, not a folder; choose another name
    73 demo --out notes.txt/o | notes.txt: is a file, not a folder; choose another name
    66 demo --yolo nowhere.pt | nowhere.pt: no such file
    64 demo p.png | ardf run p.png --out results
    64 demo --photo p.png | ardf run photo.jpg --out results
    64 demo --source p.png | ardf run photo.jpg --out results
    64 demo --conf 0.5 | ardf run photo.jpg --out results
    64 demo --frame 3 | ardf run photo.jpg --out results
    64 demo --forse | Did you mean '--force'?
    64 demo --out | Missing value for '--out <dir>'
    73 demo --output taken | --force
    64 demo --threads 4 | leave it out
    64 demo --device cuda | on the processor
    64 demo --half | no precision is chosen here
    64 demo --batch 8 | leave it out
    64 demo --save-txt | leave it out
    64 demo --out o.html | results lie in a folder
    """#
}
