extension MistakeTests {
  /// Mistakes with the page and with commands on captures.
  static let ofCaptures = #"""
    # serve
    66 serve nowhere | nowhere: no such file or folder
    66 serve p.png | ardf weights get yolo11n-seg
    65 serve empty DET | the folder is empty
    65 serve det.safetensors | holds a network, not pictures
    64 serve results | --capture
    65 serve results/report.html | is a page: open it in a browser
    65 capture check results/report.html | is a page: open it in a browser
    65 serve p.png --yolo p.png | is a picture (PNG)
    64 serve p.png DET --port 99999 | --port
    64 serve p.png DET --port http | --port
    64 serve cap DET --frame 9 --port 0 | position from 0
    64 serve --listen 8000 | address:port
    64 serve --listen 256.0.0.1:80 | address:port
    64 serve --host 0.0.0.0 | --listen
    64 serve --http-port 8000 | --listen
    64 serve --models det.safetensors --yolo det.safetensors | with --models all networks are named there
    66 serve --models nowhere --listen 127.0.0.1:0 | yolo11n-seg
    65 serve --models p.png --listen 127.0.0.1:0 | is a picture (PNG)
    64 serve --model-repository models | --models
    64 serve --models det.safetensors --token abc | --token-file
    66 serve --models det.safetensors --token-file no | no: no such file
    64 serve --models det.safetensors --workers 0 | from 1 to 64
    64 serve --models det.safetensors --timeout -5 | --timeout -5
    64 serve --models yolo11n-seg yolo11s-seg | with commas between: --models yolo11n-seg,yolo11s-seg
    64 serve --modls det.safetensors | Did you mean '--models'?
    64 serve pics nowhere | at a time
    64 serve p.png DET --port 80,80 | give a whole number
    64 serve --models det.safetensors --workers x | give a whole number
    65 serve --models pics --listen 127.0.0.1:0 | is a directory
    64 serve --models det.safetensors,det.safetensors --listen 127.0.0.1:0 | NAME=FILE
    64 serve p.png DET --deepstack | goes with --models
    64 serve --json | --log goes with --models | --json, which means --log json
    64 serve p.png DET --json | --json, which means --log json | leave it out
    64 serve p.png DET --workers 2 | --workers goes with --models
    64 serve p.png DET --capture cap | --capture goes with a folder of results
    66 serve --models https://a.b/c.pt --listen 127.0.0.1:0 | download it
    64 serve --models depth.safetensors --listen 0.0.0.0:0 | --token-file
    # capture check
    64 capture cap | ardf capture check cap
    64 capture chek cap | did you mean capture check?
    64 capture validate cap | ardf capture check cap
    64 capture check | <source>
    66 capture check nowhere | nowhere: no such file or folder
    65 capture check empty | the folder is empty
    65 capture check taken | holds neither pictures | nor a capture | ardf capture check --help
    65 capture check notes.txt | no picture of a known format
    65 capture check det.safetensors | holds a network, not pictures
    65 capture check cap/depth.npy | no picture of a known format
    64 capture check cap extra | Unexpected argument 'extra'
    64 capture check cap --out o | Unknown option '--out'
    64 capture check cap --dept-map d.npy | Did you mean '--depth-map'?
    64 capture check p.png --depth-map cap/depth.npy | --intrinsics
    64 capture check p.png --depth-map cap/depth.npy --fov 60 | in place of --fov give --intrinsics
    64 capture check p.png --depth-map d.png --depth-unit mm | 0.001 for millimeters
    64 capture check cap --sensor radar | 'lidar'
    64 capture check p.png --fov 0 | degrees from 1 to 170
    64 capture check cap results | one capture is checked
    66 capture check https://a.b/c.zip | download it
    64 capture check cap --fov 60,5 | --fov 60.5
    64 capture check cap --frame 9 | leave it out
    # capture convert
    64 capture convert cap | --out
    64 capture convert cap o | --out
    66 capture convert nowhere --out o | nowhere
    65 capture convert p.png --out o | no camera
    65 capture convert empty --out o | the folder is empty
    65 capture convert notes.txt --out o | notes.txt
    65 capture convert det.safetensors --out o | holds a network, not pictures
    73 capture convert cap --out taken | --force
    65 capture convert cap --out cap | is the input cap itself
    64 capture convert cap --out o --format arkit | Unknown option '--format'
    64 capture convert cap --outt o | Did you mean '--out'?
    65 capture convert pics --out o | pics: cannot be written | --intrinsics
    64 capture convert cap --out o.zip | results lie in a folder
    64 capture convert cap pics --out o | follows --out
    65 capture convert cap --out cap/native | outside it
    # capture frames
    64 capture frames | <recording>
    66 capture frames nowhere | Stray Scanner
    66 capture frames p.png | Stray Scanner
    66 capture frames cap | cap/rgb.mp4
    66 capture frames empty | Stray Scanner
    64 capture frame cap | did you mean capture frames?
    64 capture extract cap | ardf capture frames cap
    64 capture frames cap extra | Unexpected argument 'extra'
    64 capture frames cap --forse | Did you mean '--force'?
    66 capture frames taken --force | Stray Scanner
    66 capture frames film.mp4 | Stray Scanner
    66 capture frames pics | Stray Scanner
    """#
}
