import FileFormats
import Testing

@Suite struct CountedTests {
  @Test func oneIsSingularAndAllOthersArePlural() {
    #expect(
      (-1...3).map { counted($0, "frame") } == ["-1 frames", "0 frames", "1 frame", "2 frames", "3 frames"])
    #expect([1, 2].map { counted($0, "class", "classes") } == ["1 class", "2 classes"])
    #expect(counted(UInt64.max, "byte") == "18446744073709551615 bytes")
    #expect(counted(Int8(1), "tensor is", "tensors are") == "1 tensor is")
  }
}
