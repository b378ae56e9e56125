import Cryptography
import Mesh
import Testing

@testable import ControlPlane

/// The proof of groups, over real connections.
@Suite struct GroupTests {
  private static func twin(of group: Group) throws -> Group {
    try Group(invitation: group.invitation)
  }

  @Test func `a shared group is proved both ways, among others, and by any of the 64`()
    async throws
  {
    let shared = try Group(name: "crew")
    let many = try (0..<63).map { try Group(name: "g\($0)") }
    let one = try Station(groups: many + [shared])
    let other = try Station(groups: [try Self.twin(of: shared), try Group(name: "b")])
    try await withStations(one, other) {
      let (own, others) = try await one.connect(to: other)
      #expect(own.provesGroup && others.provesGroup)
    }
  }

  @Test func `different groups prove nothing, and no groups neither`() async throws {
    let stranger = try Station(groups: [try Group(name: "crew")])
    let (one, none) = (try Station(groups: [try Group(name: "crew")]), try Station())
    try await withStations(one, stranger, none) {
      for (from, to) in [(one, stranger), (one, none), (none, one), (none, none)] {
        let (own, others) = try await from.connect(to: to)
        #expect(!own.provesGroup && !others.provesGroup)
      }
    }
  }

  @Test func `who joins a group later proves it then, and who leaves it does so no more`()
    async throws
  {
    let shared = try Group(name: "crew")
    let (one, other) = (try Station(groups: [shared]), try Station())
    try await withStations(one, other) {
      let (own, others) = try await one.connect(to: other)
      #expect(!own.provesGroup && !others.provesGroup)
      other.setGroups([try Self.twin(of: shared)])
      #expect(try await other.recorder.proving() == [others.connection])
      #expect(try await one.recorder.proving() == [own.connection])
      one.setGroups([])
      #expect(try await one.recorder.proving() == [])
      #expect(try await other.recorder.proving() == [])
    }
  }

  @Test
  func `groups that did not change are not proved again, so that nobody takes it for a flood`()
    async throws
  {
    let (one, other) = (try Station(groups: [try Group(name: "crew")]), try Station())
    try await withStations(one, other) {
      let (own, _) = try await one.connect(to: other)
      for _ in 0..<50 { one.plane.groupsChanged() }
      one.plane.send(.invite, on: own.connection)
      #expect(try await other.recorder.message() == .invite)
      #expect(other.plane.faultCounts.isEmpty)
    }
  }

  /// A stranger that sends these codes when it has the plane's challenge and proof.
  private func opened(
    by identity: TestIdentity, at station: Station, nonce: [UInt8],
    _ codes: @escaping @Sendable ([UInt8], [[UInt8]]) -> [[UInt8]]
  ) async throws -> OpenedConnection {
    let stranger = try await Stranger(station.plane.localAddress, .node(identity))
    var messages = stranger.messages().makeAsyncIterator()
    guard case .challenge(let challenge) = await messages.next() else {
      throw NothingCame(description: "no challenge")
    }
    stranger.send(.challenge(Challenge(nonce: nonce.isEmpty ? challenge.nonce : nonce)))
    guard case .groupProof(let proof) = await messages.next() else {
      throw NothingCame(description: "no proof")
    }
    stranger.send(.groupProof(GroupProof(codes: codes(challenge.nonce, proof.codes))))
    let opened = try await station.recorder.accepted()
    stranger.close()
    return opened
  }

  @Test func `a proof that is sent back, replayed or passed on proves nothing`() async throws {
    let group = try Group(name: "crew")
    let station = try Station(groups: [group])
    let (member, thief) = (try TestIdentity(), try TestIdentity())
    let (node, nonce) = (station.id, Array(repeating: UInt8(9), count: 32))
    try await withStations(station) {
      let reflected = try await opened(by: thief, at: station, nonce: []) { $1 }
      #expect(!reflected.provesGroup)
      let honest = try await opened(by: member, at: station, nonce: nonce) { challenge, _ in
        [
          group.proof(
            prover: member.id, verifier: node, proverNonce: nonce, verifierNonce: challenge)
        ]
      }
      #expect(honest.provesGroup)
      let old = group.proof(
        prover: member.id, verifier: node, proverNonce: nonce,
        verifierNonce: Array(repeating: 1, count: 32))
      #expect(
        try await !opened(by: member, at: station, nonce: nonce) { _, _ in [old] }.provesGroup)
      let relayed = try await opened(by: thief, at: station, nonce: nonce) { challenge, _ in
        [
          group.proof(
            prover: member.id, verifier: node, proverNonce: nonce, verifierNonce: challenge)
        ]
      }
      #expect(!relayed.provesGroup)
    }
  }

  @Test func `a message before the proof, a second challenge and a flood of proofs end it`()
    async throws
  {
    let station = try Station()
    try await withStations(station) {
      let early = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      early.send(.invite)
      try await station.recorder.fault(.outOfTurn)
      try await early.ended()
      let second = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      second.proveNothing()
      let opened = try await station.recorder.accepted()
      second.send(.challenge(Challenge(nonce: Array(repeating: 8, count: 32))))
      try await station.recorder.fault(.outOfTurn)
      try await station.recorder.closed(opened.connection)
      let flood = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      flood.proveNothing()
      for _ in 0..<16 { flood.send(.groupProof(GroupProof())) }
      try await station.recorder.fault(.proofFlood)
      try await flood.ended()
    }
  }
}
