import Cryptography
import Glibc
import Habits
import Testing

@testable import Store

@Suite struct MixFileTests {
  private static func mix() throws -> Mix {
    func node(_ octet: UInt8) throws -> NodeID {
      try #require(NodeID(octets: [UInt8](repeating: octet, count: NodeID.byteCount)))
    }
    var mix = Mix(
      isTalking: false,
      peers: [
        try node(1): .init(gainDecibels: -7.25, pan: 0.5, isMuted: false),
        try node(2): .init(gainDecibels: 0, pan: -1, isMuted: true),
        try node(3): .init(
          gainDecibels: 3, pan: 0, isMuted: true,
          place: HeadPlace(azimuthDegrees: -135, elevationDegrees: 40)),
      ])
    mix.inputs["desk"] = InputHabit(configured: "desk=a", isOn: false, lines: ["a", "Bühne"])
    mix.buses["ifb"] = BusHabit(
      configured: "ifb=-anna", others: -.infinity, members: ["anna": -.infinity, "bo": -7.5])
    return mix
  }

  private func start(_ disk: ModelDisk) throws -> NodeState {
    try NodeState(unixSeconds: 1_800_000_000) { disk }
  }

  @Test func `a node keeps its mix from start to start`() throws {
    let disk = ModelDisk()
    let first = try start(disk)
    #expect(first.mix == Mix() && first.mixProblem == nil)
    try first.keep(Self.mix())
    #expect(try start(disk).mix == Self.mix())
  }

  @Test func `every damaged octet is found, and every file that is cut off`() throws {
    let disk = ModelDisk()
    try MixFile(disk: disk).write(Self.mix())
    let whole = try #require(disk.files["mix"])
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x40
      for octets in [damaged, Array(whole[..<index])] {
        #expect(throws: StoreError.self) { try MixFile(disk: ModelDisk(["mix": octets])).read() }
      }
    }
  }

  @Test func `a damaged file is told, harms nothing else, and is replaced by what is set next`()
    throws
  {
    let disk = ModelDisk(["mix": [1, 2, 3]])
    let state = try start(disk)
    #expect(state.problem == nil && state.memoryProblem == nil)
    #expect(state.mixProblem != nil && state.mix == Mix())
    try state.keep(Self.mix())
    #expect(try start(disk).mix == Self.mix())
  }

  @Test(arguments: 0..<6)
  func `power cuts while it is kept leave the mix before or after it`(step: Int) throws {
    let before = ModelDisk()
    try start(before).keep(Mix(isTalking: false))
    // Six steps of the counter come first.
    let disk = ModelDisk(before.files, atStep: step + 6)
    let cut = try start(disk)
    #expect(cut.problem == nil)
    #expect(throws: StoreError.self) { try cut.keep(Self.mix()) }
    for remains in disk.possibleRemains {
      let found = try start(ModelDisk(remains))
      #expect(found.mixProblem == nil)
      let known = [Mix(isTalking: false), try Self.mix()]
      #expect(known.contains(found.mix))
    }
  }

  @Test func `a file without inputs and buses is read, and one with too much of them written`()
    throws
  {
    var mix = Mix(isTalking: false)
    let before = ModelDisk()
    try MixFile(disk: before).write(mix)
    #expect(try MixFile(disk: before).read() == mix)
    mix.buses["huge"] = BusHabit(configured: "huge", others: 0, members: [:])
    for number in 0..<9000 { mix.buses["huge"]?.members["member \(number)"] = 0 }
    mix.inputs["desk"] = InputHabit(configured: "desk", isOn: false, lines: [])
    try MixFile(disk: before).write(mix)
    let kept = try MixFile(disk: before).read()
    #expect(kept.inputs == mix.inputs && kept.buses.isEmpty)
  }

  @Test func `not more nodes are kept than there is a bound`() throws {
    var mix = Mix()
    for number in 0..<(Mix.mostPeers + 9) {
      var octets = [UInt8](repeating: 0, count: NodeID.byteCount)
      octets[0] = UInt8(truncatingIfNeeded: number >> 8)
      octets[1] = UInt8(truncatingIfNeeded: number)
      mix.peers[try #require(NodeID(octets: octets))] = .init(
        gainDecibels: 1, pan: 0, isMuted: false)
    }
    let disk = ModelDisk()
    try start(disk).keep(mix)
    #expect(try start(disk).mix.peers.count == Mix.mostPeers)
  }

  @Test func `without a place it cannot be kept, which is told`() throws {
    let state = try NodeState(directory: nil, unixSeconds: 1_800_000_000)
    #expect(throws: StoreError.notKept(reason: "\(StoreError.noPlace)")) {
      try state.keep(Self.mix())
    }
  }
}
