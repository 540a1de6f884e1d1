/// Most rows of a block.
@inline(__always) var blockRows: Int { 32 }
