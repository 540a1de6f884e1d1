extension MistakeTests {
  /// Mistakes with tools and jobs, and without a command.
  static let ofTools = #"""
    # verify
    64 verify | --model, --weights
    64 verify --weights det.safetensors | --reference or --against
    64 verify det.safetensors --against openblas | --weights det.safetensors
    66 verify --weights nowhere --against openblas | nowhere: no such file
    65 verify --weights p.png --against openblas | is a picture (PNG)
    65 verify --weights pics --against openblas | is a directory
    66 verify --weights det.safetensors --reference no.npz | no.npz: no such file
    65 verify --weights det.safetensors --reference p.png | p.png: is a picture (PNG); give recorded tensors
    65 verify --weights det.safetensors --reference pics | is a directory
    65 verify --weights det.safetensors --reference depth.ref.safetensors | it is of another network
    65 verify --weights det.safetensors --reference det.safetensors | it is of another network
    65 verify p.png p.png | p.png: is a picture (PNG); give a trace
    65 verify notes.txt notes.txt | notes.txt: is a text; give a trace
    65 verify det.safetensors det.ref.safetensors | it is not a trace; make one with ardf trace
    64 verify --weights det.safetensors --against torch | - openblas
    64 verify --weights det.safetensors --against openblas --out o.json | results lie in a folder
    64 verify --weights det.safetensors --against openblas --size 10 | HEIGHTxWIDTH
    64 verify --weights det.safetensors --reference det.ref.safetensors --tol 1e-3 | PATTERN=ABSOLUTE,RELATIVE
    64 verify --weights det.safetensors --reference det.ref.safetensors --rtol 1e-3 | --tol PATTERN
    64 verify --weights det.safetensors --reference det.ref.safetensors --mode fast | 'isolated'
    65 verify --model yolo12n --weights det.safetensors --against openblas | holds yolo11-seg, not yolo12n
    66 verify --weights det.safetensors --against openblas --input no.jpg | no.jpg: no such file
    66 verify m.onnx --reference nowhere.npz | nowhere.npz: no such file
    66 verify --weights https://a.b/c.pt --against openblas | download it
    66 verify --weights det.safetensors --reference x*.npz | a pattern is not a file
    64 verify --weights det.safetensors --against openblas --threads 0 | from 1 to 1024
    73 verify --weights det.safetensors --against openblas --out p.png | p.png: is a file, not a folder
    64 verify --labelled f --weights det.safetensors --against openblas | --labelled goes with --sensitivity
    65 verify --yolo p.png --against openblas | is a picture (PNG)
    65 verify m.onnx --reference pics | pics: holds neither | give a folder of ONNX's test data
    # trace
    64 trace | --input <file>
    64 trace --weights det.safetensors --out o | --input <file>
    64 trace det.safetensors --input p.png --out o | --weights
    64 trace --weights det.safetensors --input p.png --out o.npz | a .safetensors file is written | ends in .safetensors
    64 trace yolo11n-seg p.png | Unexpected argument 'yolo11n-seg': weights follow --weights | --input
    64 trace --weights m.onnx --input p.png --out o | give NAME=FILE
    66 trace --weights nowhere --input p.png --out o | nowhere: no such file
    65 trace --weights p.png --input p.png --out o | is a picture (PNG)
    66 trace --weights det.safetensors --input no.jpg --out o | no.jpg: no such file
    65 trace --weights det.safetensors --input notes.txt --out o | notes.txt: no picture
    64 trace --weights det.safetensors --input pics --out o | give one of them
    65 trace --weights det.safetensors --input empty --out o | the folder is empty
    64 trace --weights det.safetensors --input p.png --layers nosuch --out o | ardf inspect plan
    65 trace --weights det.safetensors --input p.png --imgsz 100 --out o | multiples of 32
    64 trace --weights det.safetensors --input p.png --size 64 --out o | HEIGHTxWIDTH
    64 trace --weights det.safetensors --input p.png --device cuda --out o | on the processor
    64 trace --weights det.safetensors --inputt p.png --out o | Did you mean '--input'?
    73 trace --weights det.safetensors --input p.png --out taken | taken: is a folder, not a file
    73 trace --weights det.safetensors --input p.png --out notes.txt/o | notes.txt: is a file, not a folder
    65 trace --weights det.safetensors --input bad.png --out o | bad.png: no picture
    65 trace --weights det.safetensors --input depth.safetensors --out o | depth.safetensors: the reference
    66 trace --weights det.safetensors --input https://a.b/c.jpg --out o | download it
    64 trace --weights det.safetensors --input p.png --threads 1,5 --out o | give a whole number
    65 trace --yolo p.png --input p.png --out o | is a picture (PNG)
    # profile
    64 profile | <weights>
    66 profile nowhere.pt | nowhere.pt: no such file
    65 profile p.png | is a picture (PNG)
    65 profile pics | is a directory
    64 profile det.safetensors -i 0 | from 1 to 100000
    64 profile det.safetensors -o out.xyz | .json | --report
    64 profile det.safetensors --size 64 | HEIGHTxWIDTH
    64 profile det.safetensors --sort speed | - time
    64 profile det.safetensors --group-by color | 'block'
    64 profile det.safetensors --batch 8 | bench --streams
    64 profile det.safetensors --half | --precision
    64 profile -m det.safetensors -d GPU | on the processor
    64 profile det.safetensors -hint latency | bench --streams
    64 profile det.safetensors p.png | --input
    66 profile det.safetensors --compare nowhere | nowhere: no such file
    64 profile det.safetensors --itertions 3 | Did you mean '--iterations'?
    73 profile det.safetensors --report html --out taken | taken: is a folder, not a file
    64 profile det.safetensors --iterations 0,5 | give a whole number
    65 profile det.safetensors --compare notes.txt | is not JSON | ardf profile --report json
    64 profile det.safetensors --trace o.json | --report trace
    64 profile det.safetensors --report xml | - html
    66 profile https://a.b/c.pt | download it
    64 profile m.onnx --size 64x64 | an ONNX file has --axis
    65 profile det.safetensors --input p.png | p.png: is a picture (PNG); give a .npy file
    # tune
    64 tune det.safetensors --out plan.yaml | a .json file is written
    64 tune det.safetensors | --out <out>
    66 tune nowhere --out o | nowhere: no such file
    65 tune p.png --out o | is a picture (PNG)
    65 tune pics --out o | is a directory
    64 tune det.safetensors --size 64 --out o | HEIGHTxWIDTH
    65 tune det.safetensors --imgsz 65 --out o | multiples of 32
    64 tune det.safetensors --runs 0 --out o | from 1 to 10000
    64 tune det.safetensors --threads 0 --out o | from 1 to 1024
    64 tune model=det.safetensors data=coco.yaml epochs=10 | nothing is trained
    64 tune det.safetensors --device gpu --out o | on the processor
    64 tune det.safetensors --out o --opt-level 3 | all optimizations are on; leave it out
    64 tune det.safetensors --precison bf16 --out o | Did you mean '--precision'?
    73 tune det.safetensors --out taken | taken: is a folder, not a file
    64 tune det.safetensors cls.safetensors --out o | one network is measured
    64 tune det.safetensors --runs 0,5 --out o | give a whole number
    66 tune https://a.b/c.pt --out o | download it
    64 tune det.safetensors --out p.png | a .json file is written
    64 tune det.safetensors --out plan.txt | a .json file is written; give a name that ends in .json
    # bench
    64 bench | <weights>
    66 bench nowhere | nowhere: no such file | (n, s, m, l, x) | metric-indoor
    65 bench p.png | is a picture (PNG)
    65 bench pics | is a directory
    65 bench notes.txt | notes.txt: is a text
    65 bench det.safetensors --input p.png | p.png: is a picture (PNG); give a .npy file
    64 bench det.safetensors -o out.xyz | .json | --report
    64 bench det.safetensors --save-outputs o.npz | --save-outputs o.npz | ends in .safetensors
    64 bench det.safetensors --streams 0 | from 1 to 64
    64 bench det.safetensors -nireq 0 | from 1 to 64
    64 bench det.safetensors -niter 0 | from 1 to 1000000
    64 bench det.safetensors --threads 2 4 | write commas between: --threads 2,4
    64 bench det.safetensors --threads 1-4 | for example 1,2,4
    64 bench det.safetensors --batch 8 | --streams
    64 bench -m det.safetensors -d GPU | on the processor
    64 bench det.safetensors -hint throughput | --streams
    65 bench det.safetensors --imgsz 100 | multiples of 32
    64 bench det.safetensors --precision half | - bf16
    64 bench det.safetensors cls.safetensors | one network is measured at a time
    66 bench det.safetensors --compare openvino | openvino: no such file
    66 bench det.safetensors --flow nowhere | nowhere: no such file or folder
    64 bench m.onnx --input p.png | an ONNX file has --axis
    64 bench det.safetensors --shape 1,3,640,640 | --size 640x640
    64 bench det.safetensors -shape [1,3,640,640] | --size 640x640
    64 bench det.safetensors --time 10 | --runs 100
    64 bench det.safetensors --warmp 3 | Unknown option '--warmp'
    65 bench det.safetensors --compare notes.txt | is not JSON | ardf bench --report json
    65 bench det.safetensors --plan notes.txt | is not JSON | ardf tune
    64 bench det.safetensors --warm-up x | give a whole number
    64 bench det.safetensors --report xml | 'jsonl'
    64 bench det.safetensors --kernels --streams 2 | --streams cannot be used with --kernels
    64 bench det.safetensors --kernels --flow cap | --flow cannot be used with --kernels
    66 bench x*.pt | a pattern is not a file
    65 bench det.ref.safetensors | holds no network known here
    # simulate
    64 simulate | <script>
    66 simulate nowhere.json | nowhere.json: no such file
    65 simulate notes.txt | notes.txt: is not JSON
    65 simulate p.png | p.png: is a picture (PNG), not JSON
    65 simulate cap | is a directory, a file is needed
    65 simulate cap/frame.json | expected ardf.simulation/1
    64 simulate a.json --out o.txt | ends in .json
    64 simulate a.json b.json | Unexpected argument 'b.json'
    64 simulate a.json --half | leave it out
    64 simulate --script a.json | Unknown option '--script'
    64 simulate a.json --forse | Did you mean '--force'?
    73 simulate cap/frame.json --out taken | taken: is a folder, not a file
    66 simulate https://a.b/c.json | download it
    66 simulate x*.json | a pattern is not a file
    65 simulate det.safetensors | is not JSON | ardf.simulation/1
    65 simulate coco.yaml | is not JSON | ardf.simulation/1
    64 simulate cap/frame.json --fps 30 | Unknown option '--fps'
    # status
    64 status | <job>
    66 status nowhere | nowhere: no such file
    65 status p.png | is not a folder | ardf run --keep
    65 status notes.txt --json | is not a folder | ardf run --keep
    66 status empty | holds no part-...jsonl | ardf run --keep
    66 status results | holds no part-...jsonl | ardf run --keep
    66 status cap --failed | holds no part-...jsonl
    64 status job --failled | Did you mean '--failed'?
    64 status job extra | Unexpected argument 'extra'
    64 status --job job | Unknown option '--job'
    66 status https://a.b/job | download it
    66 status job* | a pattern is not a file
    64 status job --watch | Unknown option '--watch'
    66 status taken | holds no part-...jsonl
    # merge
    64 merge | <job>
    66 merge nowhere | nowhere: no such file
    65 merge p.png | is not a folder | ardf run --keep
    65 merge notes.txt | is not a folder | ardf run --keep
    66 merge empty | holds no part-...jsonl | ardf run --keep
    66 merge results --out o | holds no part-...jsonl
    64 merge job --out o.csv | a .jsonl file is written | ends in .jsonl
    64 merge job --partail | Did you mean '--partial'?
    64 merge a b --out o | Unexpected argument 'b'
    64 merge job --batch 8 | leave it out
    64 status job --device cuda | on the processor
    64 merge job --format parquet | Unknown option '--format'
    73 merge empty --output taken | taken: is a folder, not a file
    73 merge empty --out notes.txt/o | notes.txt: is a file, not a folder
    66 merge https://a.b/job | download it
    66 merge job* | a pattern is not a file
    66 merge taken | holds no part-...jsonl
    73 merge results --out taken | taken: is a folder, not a file
    # no command
    64 RUN p.png | did you mean run?
    64 detekt p.png | did you mean detect?
    64 sim a.json | did you mean simulate?
    64 frobnicate | the commands are demo, run, detect
    64 help detekt | did you mean detect?
    64 p.png | ardf run p.png --out results
    64 predict model=det.safetensors source=p.png | ardf detect
    64 val | ardf evaluate
    64 export model=best.pt | ardf convert
    64 train | trains nothing
    64 yolo predict p.png | leave the word out
    64 benchmark_app -m m.onnx | ardf bench
    64 onnx m.onnx | ardf infer
    64 list | did you mean weights list?
    64 get yolo11n | did you mean weights get?
    64 check cap | did you mean capture check?
    64 cpu | did you mean inspect cpu?
    64 test pics | ardf evaluate
    64 https://a.b/c.jpg | ardf run https://a.b/c.jpg
    """#
}
