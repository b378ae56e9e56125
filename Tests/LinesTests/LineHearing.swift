import Cryptography
import RTP

@testable import Lines

/// What the media path would do with the routings of a network's nodes: who hears whom.
///
/// A node's streams for audiences are opened and closed by its ``AudienceBook``, as in the daemon; there are as many as
/// the media path has room for. Looked up again where a node's state changed.
final class LineHearing {
  private struct Node {
    var instance: UInt64 = 0
    var revision: UInt64 = 0
    var bookDeadline = Int64.min
    /// By listener: the lines, by this node's numbers, whose packets go there now.
    var sends: [UInt32] = []
    /// By talker: the lines, by its numbers, whose packets are played here.
    var plays: [UInt32] = []
    /// Who gets what is said to a member or a group alone.
    var alone: UInt64 = 0
    /// Who gets what is said on a private line.
    var privateSends: [(audience: Audience, listeners: UInt64)] = []
    /// Of whom what is said on a private line is played.
    var privatePlays: [Audience: UInt64] = [:]
    var book = AudienceBook()
    var streams: [Int: (audience: Audience, listeners: UInt64)] = [:]
  }

  private let network: LineNetwork
  private var nodes: [Node]

  init(_ network: LineNetwork) {
    self.network = network
    nodes = [Node](repeating: Node(), count: network.desks.count)
    follow()
  }

  /// Looks at what changed; those nodes.
  @discardableResult
  func follow() -> [Int] {
    nodes.indices.filter { number in
      let desk = network.desks[number]
      let isNew = nodes[number].instance != network.instances[number]
      guard
        isNew || nodes[number].revision != desk.revision
          || nodes[number].bookDeadline <= network.now
      else { return false }
      if isNew { nodes[number] = Node() }
      (nodes[number].instance, nodes[number].revision) = (
        network.instances[number], desk.revision
      )
      look(at: number, desk)
      return true
    }
  }

  private func bits(_ ids: some Sequence<NodeID>) -> UInt64 {
    ids.reduce(0) { $0 | 1 << UInt64(network.places[$1] ?? 63) }
  }

  private func look(at number: Int, _ desk: LineDesk) {
    var node = nodes[number]
    let routing = desk.routing
    let others = routing.others
    let otherPlays = Self.plays(others)
    (node.sends, node.plays) = ([], [])
    for id in network.ids {
      let member = routing.members[id]
      node.sends.append(routing.talk.intersection((member ?? others).addressed).rawValue)
      node.plays.append(member.map(Self.plays) ?? otherPlays)
    }
    openStreams(&node, desk.audiences, routing.audiences)
    (node.alone, node.privateSends) = (0, [])
    for stream in node.streams.values where routing.audiences.contains(stream.audience) {
      if stream.audience.isPrivateLine {
        node.privateSends.append(stream)
      } else {
        node.alone |= stream.listeners
      }
    }
    node.privatePlays = routing.privateLines.mapValues { $0.gain > 0 ? bits($0.members) : 0 }
    nodes[number] = node
  }

  private static func plays(_ member: LineRouting.Member) -> UInt32 {
    member.gains.indices.reduce(0) { $0 | (member.gains[$1] > 0 ? 1 << UInt32($1) : 0) }
  }

  private func openStreams(
    _ node: inout Node, _ wishes: [AudienceWish], _ talking: Set<Audience>
  ) {
    while let step = node.book.next(wishes, talking: talking, nowNanoseconds: network.now) {
      switch step {
      case .open(let wish):
        let number = (1...).first { node.streams[$0] == nil } ?? 1
        node.streams[number] = (wish.audience, bits(wish.listeners))
        node.book.opened(wish, as: number)
      case .setListeners(let listeners, let number):
        node.streams[number]?.listeners = bits(listeners)
      case .close(let number): node.streams[number] = nil
      }
    }
    node.bookDeadline = node.book.nextDeadlineNanoseconds(wishes, nowNanoseconds: network.now)
  }

  /// Whether the media path lets one node be heard by another.
  func hears(_ listener: Int, _ talker: Int) -> Bool {
    let (talk, play) = (nodes[talker], nodes[listener])
    let (listenerBit, talkerBit) = (UInt64(1) << UInt64(listener), UInt64(1) << UInt64(talker))
    return talk.sends[listener] & play.plays[talker] != 0 || talk.alone & listenerBit != 0
      || talk.privateSends.contains {
        $0.listeners & listenerBit != 0 && (play.privatePlays[$0.audience] ?? 0) & talkerBit != 0
      }
  }

  /// By what one is heard by another, for a failure's text.
  func words(_ listener: Int, _ talker: Int) -> String {
    let (talk, play) = (nodes[talker], nodes[listener])
    let (listenerBit, talkerBit) = (UInt64(1) << UInt64(listener), UInt64(1) << UInt64(talker))
    let isPrivate = talk.privateSends.contains {
      $0.listeners & listenerBit != 0 && (play.privatePlays[$0.audience] ?? 0) & talkerBit != 0
    }
    let numbers = talk.sends[listener] & play.plays[talker]
    let desk = network.desks[talker]
    let lines = desk.record().lines.filter { numbers >> UInt32($0.key) & 1 == 1 }.values.sorted()
    let keys = desk.keys.filter(\.isTalking).map(\.key.name.text)
    return "by \(numbers) \(lines), alone \(talk.alone & listenerBit != 0), private \(isPrivate); "
      + "it talks by \(keys), answers \(String(describing: desk.calls.answering))"
  }
}
