import Testing

@testable import Store

/// Whether the user refuses to be captioned, from start to start.
@Suite struct CaptionsFileTests {
  private func start(_ disk: ModelDisk) throws -> NodeState {
    try NodeState(unixSeconds: 1_800_000_000) { () throws(StoreError) in disk }
  }

  @Test func `a refusal holds from start to start, and so does its end`() throws {
    let disk = ModelDisk()
    #expect(try start(disk).captions.kept == KeptCaptions())
    try start(disk).keep(KeptCaptions(refuses: true))
    #expect(try start(disk).captions.kept.refuses)
    try start(disk).keep(KeptCaptions(refuses: false))
    #expect(try !start(disk).captions.kept.refuses)
  }

  @Test func `how long captions are kept holds from start to start, and is nothing at first`()
    throws
  {
    let disk = ModelDisk()
    #expect(try start(disk).captions.kept.days == 0)
    for kept in [
      KeptCaptions(refuses: true, days: 1), KeptCaptions(days: 3650), KeptCaptions(refuses: true),
    ] {
      try start(disk).keep(kept)
      #expect(try start(disk).captions.kept == kept)
    }
  }

  @Test func `who may have refused, as the file is damaged, has refused`() throws {
    let disk = ModelDisk()
    try CaptionsFile(disk: disk).write(KeptCaptions(days: 300))
    let whole = try #require(disk.files["captions"])
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x40
      for octets in [damaged, Array(whole[..<index])] {
        let outcome = CaptionsFile(disk: ModelDisk(["captions": octets])).outcome
        #expect(outcome.kept == KeptCaptions(refuses: true) && outcome.problem != nil)
      }
    }
  }
}
