import EventLoop
import RTP
import TestKit
import Testing

@testable import Intercom

/// What comes from strangers, and what comes from too many addresses.
@Suite struct StationAdmissionTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let node: VirtualNode

  init() throws {
    node = try VirtualNode("Anna", at: home)
    network.add(node)
  }

  private func inject(_ bytes: [UInt8], from address: SocketAddress) {
    node.station.datagramReceived(
      unsafe bytes.span.bytes, from: address, arrivalNanoseconds: network.now)
  }

  @Test func `whatever a stranger sends opens no place, is not answered and is counted`() throws {
    var random = SplitMix64(seed: 7)
    let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 2]
    let datagrams: [[UInt8]] = [
      [], [0x80], [0x80, 201, 0, 9, 0, 0, 0, 2], [0x80, 203, 0, 1, 0, 0, 0, 2], report,
      report + [0x81, 202, 0, 2, 0, 0, 0, 2, 1, 1, 65, 0],
      [0x00, 201, 0, 1, 0, 0, 0, 2], [0x80, 111, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3],
      (0..<200).map { _ in UInt8.random(in: 0...127, using: &random) },
    ]
    for bytes in datagrams { inject(bytes, from: .host(2)) }
    network.run(seconds: 3)
    #expect(node.station.seen.isEmpty)
    #expect(network.traffic.isEmpty && node.events.all.isEmpty)
    #expect(node.station.drops.byReason.values.reduce(0, +) == datagrams.count)
  }

  @Test func `strangers that report for ever have no place and take none`() throws {
    for number in 2..<22 {
      let stranger = try ScriptedPeer(
        "P\(number)", at: .host(number), to: home, ssrc: UInt32(number))
      stranger.speaksInClear = number % 2 == 0
      network.add(stranger)
    }
    let bert = try ScriptedPeer("Bert", at: .host(30), to: home, ssrc: 30)
    network.add(bert)
    network.run(seconds: 2)
    #expect(node.station.seen.isEmpty)
    try node.meet(bert, network)
    #expect(network.run(until: { node.isConnected(to: .host(30)) }, limitSeconds: 1))
    network.run(seconds: 3)
    #expect(node.station.seen.map(\.address) == [.host(30)])
    #expect(network.traffic.allSatisfy { $0.source != home || $0.destination == .host(30) })
    #expect(node.drops("unknownSource") > 60)
  }
}
