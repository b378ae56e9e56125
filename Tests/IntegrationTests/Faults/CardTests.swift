import Glibc
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// Sound cards that are plugged in and out while server and daemon run on.
  @Suite struct CardTests {
    private let directory: TemporaryDirectory
    private let server: JackServer
    private let daemon: Daemon

    init() throws {
      directory = try TemporaryDirectory(prefix: "comlink-test")
      server = try JackServer(
        named: "comlink-card-\(getpid())-\(UInt16.random(in: 0...UInt16.max))", periodFrames: 256,
        hasCard: false, in: directory)
      daemon = try Daemon(
        "N", ["--listen", "127.0.0.1:0", "--jack-server", server.name, "--jack-client", "station"],
        in: directory)
      try daemon.waitUntilReady()
    }

    /// Plugs a card in, which says a tone to whoever listens, and hears all there is to hear.
    private func card(_ name: String) throws(RigError) -> Probe {
      let card = try Probe(
        server: server.name, name: name, inputs: 2, outputs: 2, recordSeconds: 1, mode: .card)
      for output in 0..<2 {
        try card.setSource(Speech.tone(hertz: 440, level: 0.3), output: output, loops: true)
      }
      try card.start()
      return card
    }

    /// Waits until the microphone hears the card, and until the mix would be heard there.
    private func waitUntilPlaysOn(_ card: Probe) throws(RigError) {
      try waitUntil(
        "\(card.name) to be connected", within: 20, detail: { daemon.process.outputTail() }
      ) { () throws(RigError) in
        try daemon.status().node.micLevelDBFS > -30
      }
      try waitUntil("the mix to go to \(card.name)", within: 20) { () throws(RigError) in
        let sides = (try connections(of: "mix_left"), try connections(of: "mix_right"))
        return sides.0.contains("\(card.name):in_0") && sides.1.contains("\(card.name):in_1")
      }
    }

    /// What `jack_lsp` finds connected with one of the node's ports.
    private func connections(of port: String) throws(RigError) -> String {
      let list = try ChildProcess(
        "jack_lsp", ["-c", "station:\(port)"], environment: ["JACK_DEFAULT_SERVER": server.name],
        outputPath: directory.file("lsp.log"))
      _ = try list.wait(within: 10)
      return list.output
    }

    @Test func `a card that is unplugged makes room for the next, under another name`() throws {
      defer { daemon.process.terminate() }
      for name in ["usb", "headset"] {
        let card = try card(name)
        try waitUntilPlaysOn(card)
        _ = consume card
        try waitUntil("silence without \(name)", within: 20) { () throws(RigError) in
          try daemon.status().node.micLevelDBFS < -100
        }
      }
      #expect(try daemon.status().audio.state == .running)
      // The first again: it is known, and is taken as a new one is.
      try waitUntilPlaysOn(try card("usb"))
    }
  }
}
