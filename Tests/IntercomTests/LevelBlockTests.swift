import Cryptography
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import Intercom

/// Levels between the media loop and those who show them.
@Suite struct LevelBlockTests {
  fileprivate static func publish(_ block: LevelBlock, _ value: Float, peers: Int, isTalking: Bool)
  {
    block.publish(micRMS: value, micPeak: value, mixRMS: value) { add in
      for number in 0..<peers {
        add(LevelBlock.PeerLevel(key: UInt64(number), rms: value, isTalking: isTalking))
      }
    }
  }

  @Test func `what was stored is read, in decibels and by peer`() {
    let block = LevelBlock()
    block.publish(micRMS: 1, micPeak: 0.1, mixRMS: 0) { add in
      add(LevelBlock.PeerLevel(key: .max, rms: 0.01, isTalking: true))
      add(LevelBlock.PeerLevel(key: 7, rms: 0.5, isTalking: false))
    }
    let levels = block.read().levels(of: [7, nil, .max, 8])
    #expect(levels.micDBFS == 0 && levels.micPeakDBFS == -20 && levels.mixDBFS == -120)
    #expect(levels.peers.map(\.levelDBFS) == [-6, -120, -40, -120])
    #expect(levels.peers.map(\.isTalking) == [false, false, true, false])
  }

  @Test func `before anything was stored all is silent`() {
    #expect(LevelBlock().read().levels(of: [0]) == LevelReading.silent.levels(of: [nil]))
  }

  @Test func `of more peers than there is room for the first are told`() {
    let block = LevelBlock()
    Self.publish(block, 1, peers: LevelBlock.mostPeers + 9, isTalking: true)
    let peers = block.read().levels(of: (0..<80).map(UInt64.init)).peers
    #expect(peers.filter(\.isTalking).count == LevelBlock.mostPeers)
  }

  @Test func `the loop is asked once a reading`() {
    let block = LevelBlock()
    #expect(!block.takeWish())
    _ = block.read()
    #expect(block.takeWish())
    #expect(!block.takeWish())
  }

  private final class Race: Sendable {
    let block = LevelBlock()
    let isDone = Atomic(false)
    let torn = Atomic(0)

    func write() {
      for round in 0..<20_000 {
        let isTalking = round % 2 == 0
        LevelBlockTests.publish(block, isTalking ? 1 : 0.1, peers: 32, isTalking: isTalking)
      }
      isDone.store(true, ordering: .relaxed)
    }

    func read() {
      while !isDone.load(ordering: .relaxed) {
        let levels = block.read().levels(of: (0..<32).map(UInt64.init))
        guard levels.mixDBFS > -120 else { continue }
        let isTalking = levels.micDBFS == 0
        let isWhole =
          levels.mixDBFS == levels.micDBFS
          && levels.peers.allSatisfy {
            $0.isTalking == isTalking && $0.levelDBFS == levels.micDBFS
          }
        if !isWhole { torn.add(1, ordering: .relaxed) }
      }
    }
  }

  @Test func `no reader ever sees half of one moment and half of the next`() async {
    let race = Race()
    await withTaskGroup { group in
      group.addTask { race.write() }
      group.addTask { race.read() }
    }
    #expect(race.torn.load(ordering: .relaxed) == 0)
  }
}

/// What a station tells without being asked on its loop.
@Suite struct StationLevelTests {
  let network = VirtualNetwork()

  @Test func `a station stores levels when somebody reads them, and not otherwise`() throws {
    let anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat())
    let bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat())
    anna.mic = Tone(hertz: 440).sample
    for node in [anna, bert] { network.add(node) }
    try anna.meet(bert, network)
    network.run(seconds: 3)
    let key = [anna.node.firstBits]
    let block = bert.station.house.levels
    // Nobody has asked yet.
    #expect(block.read().levels(of: key) == LevelReading.silent.levels(of: key))
    network.run(seconds: 0.05)
    let heard = block.read().levels(of: key)
    let status = try #require(bert.statuses(network).first)
    #expect(heard.peers[0].isTalking)
    #expect(abs(heard.peers[0].levelDBFS - status.levelDBFS) < 1)
    #expect(heard.mixDBFS > -30)
    anna.mic = { _ in 0 }
    network.run(seconds: 5)
    // That was asked for above, long ago.
    #expect(block.read().levels(of: key).peers[0].isTalking)
    network.run(seconds: 0.05)
    #expect(!block.read().levels(of: key).peers[0].isTalking)
  }
}
