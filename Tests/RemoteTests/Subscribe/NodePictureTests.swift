import StatusSchema
import Testing

@testable import Remote

/// What subscribers are told between two pictures of a node.
@Suite struct NodePictureTests {
  private static func peer(_ name: String, id: String? = nil) -> PeerStatus {
    var peer = PeerStatus(name: name, address: "127.0.0.1:5006", state: .connected)
    peer.id = id
    return peer
  }

  private static func words(_ patch: JSONTree?) -> String? {
    patch.map { String(decoding: $0.line, as: UTF8.self) }
  }

  /// What a subscriber is written; the same as the patch.
  private static func line(
    _ picture: NodePicture, from former: NodePicture?, levels form: LevelForm
  ) -> String? {
    let line = picture.line(from: former, levels: form)
    let written = line.map { String(decoding: $0, as: UTF8.self) }
    #expect(written == words(picture.patch(from: former, levels: form)).map { $0 + "\n" })
    return written.map { String($0.dropLast()) }
  }

  private static func picture(
    _ status: Status, _ number: UInt64, after former: NodePicture? = nil,
    _ change: (inout NodeLevels) -> Void = { _ in }
  ) -> NodePicture {
    var levels = NodeLevels(status)
    change(&levels)
    return NodePicture(StatusDocument(status, number: number), levels, after: former)
  }

  @Test func `the whole document is the status, with the peers by ID`() throws {
    let whole = try #require(NodePicture(GoldenStatus.value).patch(from: nil, levels: .calm))
    var status = try TreeEncoder.tree(of: GoldenStatus.value)
    guard case .array(let peers) = status["peers"] else {
      Issue.record("no peers")
      return
    }
    var members: [String: JSONTree] = [:]
    for (place, (key, peer)) in zip([GoldenStatus.value.peers[0].id ?? "", "C"], peers).enumerated()
    {
      var peer = peer
      peer.merge(.object(["place": .integer(Int64(place))]))
      members[key] = peer
    }
    status.merge(.object(["peers": .null]))
    status.merge(.object(["peers": .object(members)]))
    #expect(whole == status)
  }

  @Test func `levels are told as they change to those who want them, and to nobody else`() {
    let status = GoldenStatus.value
    let first = Self.picture(status, 1)
    let second = Self.picture(status, 1, after: first) {
      $0.micDBFS = -3
      $0.peers[1].levelDBFS = -7.5
    }
    #expect(
      Self.line(second, from: first, levels: .named)
        == #"{"node":{"micLevelDBFS":-3.0},"peers":{"C":{"levelDBFS":-7.5}}}"#)
    #expect(Self.line(second, from: first, levels: .calm) == nil)
    #expect(second.differs(from: first))
    let third = Self.picture(status, 1, after: second) {
      $0.micDBFS = -3
      $0.peers[1].levelDBFS = -7.5
    }
    #expect(Self.line(third, from: second, levels: .named) == nil)
    #expect(!third.differs(from: second))
  }

  @Test func `a list has the levels of all peers by their places, where one changed`() {
    let first = Self.picture(GoldenStatus.value, 1)
    let whole = first.patch(from: nil, levels: .listed)
    #expect(whole?["levels"] == .array(first.document.status.peers.map { .number($0.levelDBFS) }))
    for peer in whole?["peers"]?.members.values ?? [:].values {
      #expect(peer["levelDBFS"] == nil && peer["isTalking"] != nil)
    }
    let second = Self.picture(GoldenStatus.value, 1, after: first) {
      $0.micDBFS = -3
      $0.peers[1] = NodeLevels.Peer(levelDBFS: -7.5, isTalking: true)
    }
    let level = GoldenStatus.value.peers[0].levelDBFS
    #expect(
      Self.line(second, from: first, levels: .listed)
        == #"{"levels":[\#(level),-7.5],"node":{"micLevelDBFS":-3.0},"#
        + #""peers":{"C":{"isTalking":true}}}"#)
    let third = Self.picture(GoldenStatus.value, 1, after: second) {
      $0.peers[1] = NodeLevels.Peer(levelDBFS: -7.5, isTalking: true)
    }
    let mic = GoldenStatus.value.node.micLevelDBFS
    #expect(
      Self.line(third, from: second, levels: .listed) == #"{"node":{"micLevelDBFS":\#(mic)}}"#)
  }

  @Test func `who talks is told to all at once`() {
    let first = Self.picture(GoldenStatus.value, 1)
    let second = Self.picture(GoldenStatus.value, 1, after: first) { $0.peers[1].isTalking = true }
    for form in [LevelForm.calm, .named, .listed] {
      #expect(
        Self.line(second, from: first, levels: form)
          == #"{"peers":{"C":{"isTalking":true}}}"#)
    }
  }

  @Test func `a peer that left is null, and one that came is whole`() throws {
    var before = GoldenStatus.value
    before.peers = [Self.peer("B", id: "b"), Self.peer("C", id: "c")]
    var after = before
    after.peers = [Self.peer("D", id: "d"), Self.peer("C", id: "c")]
    let first = Self.picture(before, 1)
    let second = Self.picture(after, 2, after: first)
    let patch = try #require(second.patch(from: first, levels: .named))
    #expect(patch["peers"]?["b"] == .null)
    #expect(patch["peers"]?["c"] == nil)
    #expect(patch["peers"]?["d"]?["name"] == .text("D"))
    #expect(patch["peers"]?["d"]?["levelDBFS"] == .number(-120))
  }

  @Test func `an optional field that is gone is null`() {
    var after = GoldenStatus.value
    after.recording = nil
    after.node.loopBack = nil
    let first = Self.picture(GoldenStatus.value, 1)
    let second = Self.picture(after, 2, after: first)
    #expect(
      Self.line(second, from: first, levels: .calm)
        == #"{"node":{"loopBack":null},"recording":null}"#)
  }

  @Test func `levels of other peers than the document's are not told`() {
    let status = GoldenStatus.value
    let levels = NodeLevels(micDBFS: -1, micPeakDBFS: -1, mixDBFS: -1, peers: [])
    let picture = NodePicture(StatusDocument(status, number: 1), levels, after: nil)
    #expect(
      picture.patch(from: nil, levels: .named)
        == NodePicture(status).patch(
          from: nil, levels: .named))
  }

  @Test(arguments: [LevelForm.calm, .named, .listed])
  func `whatever a subscriber misses, each patch brings it up to date`(form: LevelForm) throws {
    var generator = SystemRandomNumberGenerator()
    var status = GoldenStatus.value
    var (picture, shown): (NodePicture?, NodePicture?)
    var document = JSONTree.object([:])
    for number: UInt64 in 1...400 {
      if Int.random(in: 0..<4, using: &generator) == 0 {
        let ids = ["a", "b\"1\"", "c", "d", "é"].filter { _ in Bool.random(using: &generator) }
        status.peers = ids.shuffled(using: &generator).map { Self.peer("n\($0)", id: $0) }
        status.node.uptimeSeconds += 1
        status.recording = Bool.random(using: &generator) ? GoldenStatus.value.recording : nil
      }
      let isNew = picture == nil || status.node.uptimeSeconds != document.uptime
      let next = Self.picture(
        status, UInt64(status.node.uptimeSeconds), after: picture
      ) { levels in
        levels.micDBFS = Double(Int.random(in: -9...0, using: &generator))
        for index in levels.peers.indices {
          levels.peers[index].isTalking = Bool.random(using: &generator)
          let tenths = Int.random(in: -1200...30, using: &generator)
          levels.peers[index].levelDBFS = Double(tenths) / 10
        }
      }
      picture = next
      guard Bool.random(using: &generator) else { continue }
      _ = Self.line(next, from: shown, levels: form)
      if let patch = next.patch(from: shown, levels: form) {
        document.merge(patch)
      } else {
        #expect(!isNew)
      }
      shown = next
      #expect(document == next.patch(from: nil, levels: form), "picture \(number)")
    }
  }
}

extension JSONTree {
  fileprivate var members: [String: JSONTree] {
    if case .object(let members) = self { members } else { [:] }
  }

  fileprivate var uptime: Double? {
    if case .number(let seconds) = self["node"]?["uptimeSeconds"] { seconds } else { nil }
  }
}
