/// A number with what it counts, for people: `1 frame`, `2 frames`.
///
/// - `plural`: What two or more are called, where that is not `noun` with an s: `counted(2, "class", "classes")`,
///   `counted(2, "tensor is", "tensors are")`.
package func counted(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) " + (count == 1 ? noun : plural ?? noun + "s")
}
