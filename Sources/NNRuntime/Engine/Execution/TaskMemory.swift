/// A task at a fixed address, with the memory that its pointers lead to kept alive.
@safe final class TaskMemory<Task>: @unchecked Sendable {
  let pointer: UnsafePointer<Task>
  private let kept: [AnyObject]

  init(_ task: Task, keeping kept: [AnyObject]) {
    let memory = UnsafeMutablePointer<Task>.allocate(capacity: 1)
    unsafe memory.initialize(to: task)
    unsafe pointer = UnsafePointer(memory)
    self.kept = kept
  }

  init(array: [Task]) {
    let memory = UnsafeMutablePointer<Task>.allocate(capacity: max(1, array.count))
    for (index, element) in array.enumerated() { unsafe (memory + index).initialize(to: element) }
    unsafe pointer = UnsafePointer(memory)
    kept = []
  }

  /// Tasks and indices are trivial: nothing to deinitialize.
  deinit { unsafe pointer.deallocate() }
}
