import Audio
import EventLoop
import Intercom
import JackSession
import Testing

@testable import NodeDaemon

@Suite struct NodeLogTests {
  @Test func `the wait for JACK names the user, and how to start a server`() async {
    let lines = LogLines()
    let log = NodeLog()
    log.add(.audio(.waiting(server: "studio")))
    log.finish()
    await log.write(to: lines.logger("node"), audio: lines.logger("audio"))
    let words =
      "waiting for JACK server 'studio' of user \(LimitsAdvice.user) (start one, such as jackd "
    #expect(lines.all.count == 1 && lines.all[0].hasPrefix("NOTICE audio: \(words)"))
    #expect(lines.all[0].hasSuffix(" event=jack-waiting server=studio\n"))
  }

  private static let connection = JackConnection(
    server: "studio", client: "comlink", periodFrames: 128, sampleRate: 48_000,
    implementation: JackImplementation(kind: .pipeWire, version: "0.3.65"))

  private static let address = SocketAddress(ipv4: 0x0A00_0002, port: 5004)

  /// Each kind of event, its name and one of its facts.
  private static let events: [(IntercomEvent, name: String, fact: String)] = [
    (
      .peerConnected(
        name: "foh", address: address, port: PeerPort(client: "comlink", peer: "foh")),
      "peer-connected", "port=comlink:peer_foh"
    ),
    (
      .peerLeft(name: "foh", address: address, saidGoodbye: true), "peer-left",
      "why=\"said goodbye\""
    ),
    (.peerMoved(name: "foh", from: address, to: address), "peer-moved", "from=10.0.0.2:5004"),
    (.ssrcTaken(name: "foh"), "stream-taken", "peer=foh"),
    (.tooManyPeers(name: "foh", maximum: 3), "too-many-peers", "max-peers=3"),
    (
      .audioFault(.portIsLate(PeerPort(client: "comlink", peer: "foh"))), "audio-fault",
      "comlink:peer_foh"
    ),
    (.audio(.waiting(server: "studio")), "jack-waiting", "server=studio"),
    (.audio(.waitingForPlugin(server: "studio", path: "/p")), "plugin-waiting", "socket=/p"),
    (.audio(.refused(server: "studio", reason: "two\nlines")), "jack-refused", "server=studio"),
    (
      .audio(.besidePlugin(server: "studio", client: "comlink-client", path: "/p")),
      "plugin-misfit", "client=comlink-client"
    ),
    (.audio(.running(connection)), "jack-running", "jack=PipeWire"),
    (.audio(.periodChanged(connection)), "jack-changed", "hertz=48000"),
    (.audio(.connectionsRestored(count: 3)), "connections-restored", "count=3"),
    (
      .audio(.peerPortRefused(slot: PeerSlot.all[0], portName: "peer_foh", reason: "full")),
      "port-refused", "port=peer_foh"
    ),
    (.audio(.serverGone(server: "studio")), "jack-gone", "server=studio"),
    (.audio(.standsStill(server: "studio", seconds: 2)), "jack-stalled", "seconds=2"),
    (.audio(.hangs(server: "studio", seconds: 10)), "jack-hangs", "seconds=10"),
    (.audio(.answers(server: "studio", seconds: 4)), "jack-answers", "seconds=4"),
    (.audio(.pipeWireBeside(socket: "/run/p")), "jack-pipewire", "pw-jack comlinkd"),
    (.audio(.freewheels(server: "studio")), "jack-freewheels", "server=studio"),
    (.audio(.freewheelEnded(server: "studio", seconds: 9)), "jack-freewheeled", "seconds=9"),
    (.audio(.deserted(server: "studio", seconds: 10)), "jack-reopened", "seconds=10"),
    (.audio(.stopped), "jack-left", "left JACK"),
  ]

  @Test func `an event is a line of the journal with its name and facts, no two of one name`()
    async
  {
    let lines = LogLines()
    let log = NodeLog()
    for (event, _, _) in Self.events { log.add(event) }
    log.finish()
    await log.write(
      to: lines.logger("node", style: .journal), audio: lines.logger("audio", style: .journal))
    #expect(lines.all.count == Self.events.count)
    for (line, (_, name, fact)) in zip(lines.all, Self.events) {
      #expect(line.contains(" event=\(name) ") || line.hasSuffix(" event=\(name)\n"), "\(line)")
      #expect(line.contains(fact) && line.split(separator: "\n").count == 1, "\(line)")
    }
    #expect(Set(Self.events.map(\.name)).count == Self.events.count)
  }
}
