/// A number with what it counts, for people: `1 frame`, `2 frames`.
func counted(_ count: Int, _ name: String, _ plural: String? = nil) -> String {
  "\(count) " + (count == 1 ? name : plural ?? name + "s")
}
