import Cryptography
import EventLoop
import Lines
import Mesh

@testable import Intercom

/// The lines and keys of virtual nodes: what one says all hear at once, and the stations follow.
final class LineRig {
  private let nodes: [VirtualNode]
  private let network: VirtualNetwork
  private(set) var desks: [LineDesk]
  private var books: [AudienceBook]
  /// Of each node, who has the keys of which of its streams.
  private var listeners: [[Int: Set<NodeID>]]
  /// All keys that were handed out, with who got them.
  private(set) var handedOut: [(key: MediaKey, to: NodeID)] = []
  /// Nothing waits for the pause between two letters.
  private var lettersNanoseconds: Int64 = 0

  init(_ nodes: [VirtualNode], _ network: VirtualNetwork) {
    (self.nodes, self.network) = (nodes, network)
    desks = nodes.map { _ in LineDesk(instance: 1) }
    books = nodes.map { _ in AudienceBook() }
    listeners = nodes.map { _ in [:] }
    for index in nodes.indices {
      desks[index].follow(ownNode: nodes[index].node)
      for other in nodes where other !== nodes[index] { desks[index].admit(other.node) }
      desks[index].follow(
        called: Dictionary(
          uniqueKeysWithValues: nodes.map { ($0.node, $0.station.configuration.name) }))
    }
    settle()
  }

  /// Something happens at a node.
  func change(_ index: Int, _ body: (inout LineDesk) throws -> Void) throws {
    try body(&desks[index])
    settle()
  }

  private func settle() {
    lettersNanoseconds += 1_000_000_000
    for index in desks.indices {
      openStreams(index)
      for letter in desks[index].letters(nowNanoseconds: lettersNanoseconds) {
        guard let other = nodes.firstIndex(where: { $0.node == letter.node }) else { continue }
        try? desks[other].take(
          letter.octets, of: nodes[index].node, nowNanoseconds: lettersNanoseconds)
        desks[index].finish(letter, isDelivered: true, nowNanoseconds: lettersNanoseconds)
      }
    }
    for index in desks.indices {
      openStreams(index)
      nodes[index].station.follow(desks[index].routing)
    }
  }

  /// What a membership does for the daemon: keys go to a stream's listeners, and to nobody else.
  private func openStreams(_ index: Int) {
    let (node, desk) = (nodes[index], desks[index])
    while let step = books[index].next(
      desk.audiences, talking: desk.routing.audiences, nowNanoseconds: lettersNanoseconds)
    {
      switch step {
      case .open(let wish):
        guard let stream = try? open(wish, of: node) else {
          return books[index].failed(wish, nowNanoseconds: lettersNanoseconds)
        }
        books[index].opened(wish, as: stream.number)
        share(stream, of: index, with: wish.listeners)
      case .setListeners(let members, let number):
        guard let stream = node.station.protection.stream(number) else { continue }
        let left = listeners[index][number]?.subtracting(members) ?? []
        stream.listeners = .nodes(members)
        node.station.roster.follow(stream)
        if !left.isEmpty, let next = try? node.makeNextKey(of: number) {
          listeners[index][number] = members
          share(next, of: index, with: members)
          stream.useNextKey()
        } else {
          share(stream, of: index, with: members)
        }
      case .close(let number):
        guard let stream = node.station.protection.stream(number) else { continue }
        node.station.close(stream)
        for other in nodes where listeners[index][number]?.contains(other.node) == true {
          other.station.roster.endStream(number, of: node.node)
        }
        listeners[index][number] = nil
      }
    }
  }

  private func open(_ wish: AudienceWish, of node: VirtualNode) throws -> OwnStream? {
    guard let free = node.station.protection.freeNumber() else { return nil }
    return node.station.open(
      free.number, StreamAudience(octets: wish.audience.octets), .nodes(wish.listeners),
      try SRTPSendingKey(epoch: UInt8(truncatingIfNeeded: free.epoch)), epoch: free.epoch)
  }

  private func share(_ stream: OwnStream, of index: Int, with members: Set<NodeID>) {
    listeners[index][stream.number] = members
    share(stream.message, of: index, with: members)
  }

  private func share(_ key: MediaKey, of index: Int, with members: Set<NodeID>) {
    for other in nodes where members.contains(other.node) {
      handedOut.append((key, other.node))
      _ = try? other.install(key, of: nodes[index], network)
    }
  }
}
