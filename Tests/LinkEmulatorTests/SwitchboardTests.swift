import Testing

@testable import comlink_link

@Suite struct SwitchboardTests {
  private static func frame(to destination: [UInt8], from source: [UInt8]) -> [UInt8] {
    destination + source + [0x08, 0x00, 1, 2, 3]
  }

  private static let a: [UInt8] = [2, 0, 0, 0, 0, 1]
  private static let b: [UInt8] = [2, 0, 0, 0, 0, 2]
  private static let group: [UInt8] = [0x01, 0x00, 0x5e, 0, 0, 1]
  private static let broadcast = [UInt8](repeating: 0xff, count: 6)

  @Test func `a frame to an unknown address goes to all others`() {
    var board = Switchboard(portCount: 3)
    #expect(board.destinations(of: Self.frame(to: Self.b, from: Self.a), from: 0) == [1, 2])
  }

  @Test func `who has sent is known, also after moving`() {
    var board = Switchboard(portCount: 3)
    _ = board.destinations(of: Self.frame(to: Self.broadcast, from: Self.b), from: 2)
    #expect(board.destinations(of: Self.frame(to: Self.b, from: Self.a), from: 0) == [2])
    _ = board.destinations(of: Self.frame(to: Self.broadcast, from: Self.b), from: 1)
    #expect(board.destinations(of: Self.frame(to: Self.b, from: Self.a), from: 0) == [1])
  }

  @Test func `a frame to its own port goes nowhere`() {
    var board = Switchboard(portCount: 2)
    _ = board.destinations(of: Self.frame(to: Self.broadcast, from: Self.b), from: 0)
    #expect(board.destinations(of: Self.frame(to: Self.b, from: Self.a), from: 0) == [])
  }

  @Test(arguments: [group, broadcast])
  func `groups go to all others, even if one has sent by their address`(group: [UInt8]) {
    var board = Switchboard(portCount: 4)
    _ = board.destinations(of: Self.frame(to: Self.a, from: group), from: 1)
    #expect(board.destinations(of: Self.frame(to: group, from: Self.a), from: 2) == [0, 1, 3])
  }

  @Test func `what is too short for a frame goes nowhere`() {
    var board = Switchboard(portCount: 2)
    #expect(board.destinations(of: [UInt8](repeating: 0xff, count: 13), from: 0) == [])
  }

  @Test func `a flood of addresses does not fill the memory`() {
    var board = Switchboard(portCount: 3)
    for number in 0..<UInt16(2 * Switchboard.capacity) {
      let source = [2, 9, 0, 0, UInt8(number >> 8), UInt8(number & 0xff)]
      _ = board.destinations(of: Self.frame(to: Self.broadcast, from: source), from: 1)
    }
    _ = board.destinations(of: Self.frame(to: Self.broadcast, from: Self.b), from: 2)
    #expect(board.destinations(of: Self.frame(to: Self.b, from: Self.a), from: 0) == [1, 2])
    #expect(
      board.destinations(of: Self.frame(to: [2, 9, 0, 0, 0, 7], from: Self.a), from: 0) == [1])
  }

  @Test func `frames stay in their part of a switch that is split, known addresses or not`() {
    var board = Switchboard(portCount: 5)
    _ = board.destinations(of: Self.frame(to: Self.broadcast, from: Self.b), from: 2)
    board.split(into: [1, 1, 2, 2, 0])
    #expect(board.destinations(of: Self.frame(to: Self.b, from: Self.a), from: 0) == [])
    #expect(board.destinations(of: Self.frame(to: Self.broadcast, from: Self.a), from: 0) == [1])
    #expect(board.destinations(of: Self.frame(to: Self.group, from: Self.b), from: 2) == [3])
    #expect(board.destinations(of: Self.frame(to: Self.broadcast, from: Self.a), from: 4) == [])
    board.split(into: [0, 0, 0, 0, 0])
    #expect(board.destinations(of: Self.frame(to: Self.b, from: Self.a), from: 0) == [2])
  }
}
