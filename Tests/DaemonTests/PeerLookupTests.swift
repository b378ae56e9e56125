import EventLoop
import Testing

@testable import comlinkd

@Suite struct PeerLookupTests {
  private let home = LookupWorld.address(1)
  private let roof = LookupWorld.address(2)

  @Test func `a name is looked up ever more rarely until it is found, and told once`() async throws
  {
    let world = LookupWorld(seconds: 200) { now in
      now < 150 ? nil : [LookupWorld.address(1)]
    }
    try await world.lookUp("studio.local:5004")
    let pauses = world.pauses
    for (pause, full) in zip(pauses, [0.5, 1, 2, 4, 8, 16, 30, 30, 30]) {
      #expect((full * 0.75...full).contains(pause))
    }
    // Half a minute at most between its tries, and so after it came to be.
    let found = try #require(world.added.first)
    #expect(found.address == home)
    #expect((150...180).contains(found.seconds))
    #expect(world.log.count { $0.contains("peer not found, trying again until it is") } == 1)
    #expect(world.log.count { $0.contains("peer found") } == 1)
    #expect(world.log.count == 2)
  }

  @Test func `another reason is told, the same one is not`() async throws {
    let world = LookupWorld(seconds: 300) { now in
      now < 100 ? nil : [SocketAddress(ipv6: 0, 1, port: 5004)]
    }
    try await world.lookUp("studio.local:5004")
    #expect(world.log.count == 2)
    #expect(world.log.last?.contains("only IPv6 addresses") == true)
    #expect(world.added.isEmpty)
  }

  @Test func `a name that leads beyond this machine is refused until it does not`() async throws {
    let outside = try SocketAddress(parsing: "192.0.2.1:5004")
    let world = LookupWorld(seconds: 120) { $0 < 60 ? [outside] : [LookupWorld.address(1)] }
    try await world.lookUp("studio.local:5004")
    let line = try #require(world.log.first)
    #expect(
      line.hasPrefix("ERROR node: this peer is left out until comlinkd is started with --inse"))
    #expect(line.contains("peer=studio.local:5004"))
    #expect(line.contains("192.0.2.1:5004, which is beyond this machine"))
    #expect(world.added.map(\.address) == [home])
  }

  @Test func `a peer that stays connected is never looked up again`() async throws {
    let world = LookupWorld(seconds: 3600) { _ in [LookupWorld.address(1)] }
    world.connect(home)
    try await world.lookUp("studio.local:5004")
    #expect(world.lookups == 1)
  }

  @Test func `a peer that is away for 30 s is looked up again and followed`() async throws {
    let world = LookupWorld(seconds: 300) { now in
      [LookupWorld.address(now < 100 ? 1 : 2)]
    }
    try await world.lookUp("studio.local:5004")
    #expect(world.added.map(\.address) == [home, roof])
    #expect(world.added.map(\.seconds) == [0, 120])
    #expect(world.removed == [home])
    // Every 30 s, for nobody ever answers.
    #expect(world.lookups == 11)
    #expect(world.log.count == 2)
    #expect(world.log.last?.contains("peer has another address now") == true)
  }

  @Test func `an address that is still one of the name's is kept`() async throws {
    let world = LookupWorld(seconds: 300) { now in
      now < 100
        ? [LookupWorld.address(1), LookupWorld.address(2)]
        : [LookupWorld.address(2), LookupWorld.address(1)]
    }
    try await world.lookUp("studio.local:5004")
    #expect(world.added.map(\.address) == [home])
    #expect(world.removed.isEmpty)
  }

  @Test func `an address is kept when its name is lost, and told when it is back`() async throws {
    let world = LookupWorld(seconds: 400) { now in
      (50..<200).contains(now) ? nil : [LookupWorld.address(1)]
    }
    try await world.lookUp("studio.local:5004")
    #expect(world.added.map(\.address) == [home])
    #expect(world.removed.isEmpty)
    #expect(world.log.count == 3)
  }

  @Test func `an address that two peers had is called until both have left it`() async throws {
    let world = LookupWorld(seconds: 0) { _ in nil }
    let book = PeerBook(node: world)
    let (first, second) = (try Endpoint("a.local:5004"), try Endpoint("b.local:5004"))
    await book.move(first, to: home)
    await book.move(second, to: home)
    await book.move(first, to: roof)
    #expect(world.removed.isEmpty)
    await book.move(second, to: roof)
    #expect(world.removed == [home])
  }

  @Test func `a numeric address is handed over once`() async throws {
    let world = LookupWorld(seconds: 300) { _ in [LookupWorld.address(1)] }
    try await world.lookUp("127.0.0.1:5004")
    #expect(world.lookups == 1)
    #expect(world.pauses.isEmpty)
    #expect(world.added.map(\.address) == [home])
  }
}
