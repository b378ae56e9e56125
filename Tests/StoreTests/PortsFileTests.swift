import Habits
import Testing

@testable import Store

@Suite struct PortsFileTests {
  private static let ports = PortMemory(
    entries: [
      .init(source: "system:capture_1", destination: ":mic", isAutomatic: true),
      .init(source: ":mix_left", destination: "Mischpult – Süd:in 1", isAutomatic: false),
    ], isCaptureCut: false, isPlaybackCut: true)

  private func start(_ disk: ModelDisk) throws -> NodeState {
    try NodeState(unixSeconds: 1_800_000_000) { disk }
  }

  @Test func `a node keeps its connections from start to start`() throws {
    let disk = ModelDisk()
    let first = try start(disk)
    #expect(first.ports == PortMemory() && first.portsProblem == nil)
    try first.keep(Self.ports)
    #expect(try start(disk).ports == Self.ports)
  }

  @Test func `every damaged octet is found, and every file that is cut off`() throws {
    let disk = ModelDisk()
    try PortsFile(disk: disk).write(Self.ports)
    let whole = try #require(disk.files["ports"])
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x40
      for octets in [damaged, Array(whole[..<index])] {
        #expect(throws: StoreError.self) {
          try PortsFile(disk: ModelDisk(["ports": octets])).read()
        }
      }
    }
  }

  @Test func `a damaged file is told, harms nothing else, and is replaced by the next connections`()
    throws
  {
    let disk = ModelDisk(["ports": [1, 2, 3]])
    let state = try start(disk)
    #expect(state.problem == nil && state.mixProblem == nil)
    #expect(state.portsProblem != nil && state.ports == PortMemory())
    try state.keep(Self.ports)
    #expect(try start(disk).ports == Self.ports)
  }

  @Test(arguments: 0..<6)
  func `power cuts while they are kept leave the connections before or after it`(step: Int) throws {
    let before = ModelDisk()
    let former = PortMemory(isCaptureCut: true)
    try start(before).keep(former)
    // Six steps of the counter come first.
    let disk = ModelDisk(before.files, atStep: step + 6)
    let cut = try start(disk)
    #expect(cut.problem == nil)
    #expect(throws: StoreError.self) { try cut.keep(Self.ports) }
    for remains in disk.possibleRemains {
      let found = try start(ModelDisk(remains))
      #expect(found.portsProblem == nil)
      #expect([former, Self.ports].contains(found.ports))
    }
  }

  @Test(arguments: [8, 300, PortMemory.longestNameBytes])
  func `of more connections than there is room for the latest are kept, and can be read`(
    nameBytes: Int
  ) throws {
    var ports = PortMemory()
    for number in 0..<(3 * PortMemory.mostEntries) {
      let digits = "\(number)"
      let name = digits + String(repeating: "x", count: max(0, nameBytes - digits.count))
      ports.entries.append(.init(source: ":mix_left", destination: name, isAutomatic: false))
    }
    let disk = ModelDisk()
    try start(disk).keep(ports)
    let kept = try start(disk).ports.entries
    #expect(kept.count > 50 && kept.count <= PortMemory.mostEntries)
    #expect(kept == ports.entries.suffix(kept.count))
  }

  @Test func `a name longer than any of JACK's costs its own connection only`() throws {
    var ports = Self.ports
    let name = String(repeating: "x", count: PortMemory.longestNameBytes + 1)
    ports.entries.insert(.init(source: name, destination: ":mic", isAutomatic: false), at: 1)
    let disk = ModelDisk()
    try start(disk).keep(ports)
    #expect(try start(disk).ports == Self.ports)
  }
}
