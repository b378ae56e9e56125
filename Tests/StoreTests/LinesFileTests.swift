import Testing

@testable import Store

@Suite struct LinesFileTests {
  private static let lines = KeptLines(octets: Array(0...200))

  private func start(_ disk: ModelDisk) throws -> NodeState {
    try NodeState(unixSeconds: 1_800_000_000) { disk }
  }

  @Test func `a node keeps its lines and keys from start to start`() throws {
    let disk = ModelDisk()
    let first = try start(disk)
    #expect(first.lines.kept == KeptLines() && first.lines.problem == nil)
    try first.keep(Self.lines)
    #expect(try start(disk).lines.kept == Self.lines)
  }

  @Test func `a damaged file is told, harms nothing else, and is replaced by the next lines`()
    throws
  {
    let disk = ModelDisk()
    try LinesFile(disk: disk).write(Self.lines)
    let whole = try #require(disk.files["lines"])
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x40
      for octets in [damaged, Array(whole[..<index])] {
        #expect(throws: StoreError.self) {
          try LinesFile(disk: ModelDisk(["lines": octets])).read()
        }
      }
    }
    let other = ModelDisk(["lines": [1, 2, 3]])
    let state = try start(other)
    #expect(state.problem == nil && state.namesProblem == nil)
    #expect(state.lines.problem != nil && state.lines.kept == KeptLines())
    try state.keep(Self.lines)
    #expect(try start(other).lines.kept == Self.lines)
  }
}
