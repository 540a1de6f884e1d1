import FileFormats
import NNKernelInterface

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why OpenBLAS cannot be used.
public enum OpenBLASError: Error, Equatable, CustomStringConvertible {
  /// The library is not installed, or cannot be loaded.
  case missing(String)
  /// The library lacks a function.
  case incompatible(function: String)

  /// The defect and its remedy.
  public var description: String {
    switch self {
    case .missing(let reason):
      "the OpenBLAS backend needs \(OpenBLASLibrary.fileName) (\(reason)): install the Debian package "
        + "libopenblas0-pthread, or use the native backend"
    case .incompatible(let function):
      "\(OpenBLASLibrary.fileName) has no function \(function): install the Debian package "
        + "libopenblas0-pthread, or use the native backend"
    }
  }
}

/// OpenBLAS, opened at run time.
///
/// It reads its environment once, while it is loaded, so its choice of kernels and threads has to be made
/// before. Its threads stay off: the session owns the cores.
@safe struct OpenBLASLibrary: Sendable {
  static let fileName = "libopenblas.so.0"

  /// Layout, transposition of a and b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc.
  typealias SGEMM =
    @convention(c) (
      Int32, Int32, Int32, Int32, Int32, Int32, Float, UnsafePointer<Float>, Int32, UnsafePointer<Float>,
      Int32,
      Float, UnsafeMutablePointer<Float>, Int32
    ) -> Void

  private let sgemm: SGEMM
  /// The kernels that OpenBLAS chose, such as `SkylakeX` or `Haswell`.
  let coreName: String

  /// Opens the library once for the whole process.
  static func shared() throws(OpenBLASError) -> OpenBLASLibrary { try opened.get() }

  private static let opened = Result { () throws(OpenBLASError) in try OpenBLASLibrary() }

  private init() throws(OpenBLASError) {
    // Old builds do not know new CPUs and fall back to slower kernels. What the user has set stays.
    let keep: Int32 = 0
    let features = Processor.current.features
    if features.contains(.avx512) {
      unsafe setenv("OPENBLAS_CORETYPE", "SkylakeX", keep)
    } else if features.contains(.avx2) {
      unsafe setenv("OPENBLAS_CORETYPE", "Haswell", keep)
    }
    unsafe setenv("OPENBLAS_NUM_THREADS", "1", 1)

    let library: RuntimeLibrary
    do {
      library = try RuntimeLibrary(Self.fileName)
    } catch {
      throw .missing(error.description)
    }
    func function<Function>(_ name: String) throws(OpenBLASError) -> Function {
      guard let found: Function = library.optionalFunction(name) else { throw .incompatible(function: name) }
      return found
    }
    typealias CoreName = @convention(c) () -> UnsafePointer<CChar>
    typealias SetThreads = @convention(c) (Int32) -> Void
    unsafe sgemm = try function("cblas_sgemm")
    let name: CoreName = unsafe try function("openblas_get_corename")
    let setThreads: SetThreads = try function("openblas_set_num_threads")
    coreName = unsafe String(cString: name())
    setThreads(1)
  }

  /// c (rows, columns) = a (rows, depth) * b, where b is (depth, columns), or (columns, depth) if
  /// `transposed`; each matrix has its own row stride.
  func multiply(
    rows: Int, columns: Int, depth: Int, _ a: UnsafePointer<Float>, stride aStride: Int,
    _ b: UnsafePointer<Float>, stride bStride: Int, transposed: Bool = false,
    into c: UnsafeMutablePointer<Float>, stride cStride: Int
  ) {
    // CblasRowMajor, CblasNoTrans, CblasTrans.
    let (rowMajor, plain, transpose): (Int32, Int32, Int32) = (101, 111, 112)
    unsafe sgemm(
      rowMajor, plain, transposed ? transpose : plain, Int32(rows), Int32(columns), Int32(depth), 1, a,
      Int32(aStride), b, Int32(bStride), 0, c, Int32(cStride))
  }
}

extension OpenBLASError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .usage }
}
