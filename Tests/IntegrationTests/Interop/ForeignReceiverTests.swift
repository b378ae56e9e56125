import Glibc
import Testing

@testable import TestRig

extension RealNodeTests {
  /// Programs that know the standards, and nothing of this project, play what a node sends.
  @Suite struct ForeignReceiverTests {
    private static let payloadType = 111
    /// Of the voiced segments; late cycles of a dummy server cut into some.
    private static let leastShareFound = 0.85
    private static let levelToleranceDecibels: Float = 2

    @Test(arguments: ForeignReceiver.allCases) func `plays our speech`(receiver: ForeignReceiver)
      throws
    {
      let directory = try TemporaryDirectory(prefix: "comlink-test")
      let ports = try LoopbackPorts.free(2)
      let station = try Station(
        "N", periodFrames: 256, options: NodeProcess.Options(port: ports[0]), recordSeconds: 20,
        in: directory)
      let speech = try Speech.lasting(8, Speech.sentences())
      try station.prepareToSay(speech)

      let wav = directory.file("heard.wav")
      let player = try receiver.start(
        port: ports[1], payloadType: Self.payloadType, wav: wav, in: directory)
      let relay = try MediaRelay(from: station.node, at: ports[0], to: ports[1])
      defer { try? relay.stop() }
      try station.node.waitUntilConnected(peers: 1, within: 30)
      try station.mouth.start()
      try waitUntil("the whole speech to be sent", within: 60) { () throws(RigError) in
        try player.checkRunning()
        return station.mouth.recordedFrames > speech.count + 48_000
      }
      #expect(relay.forwarded > 500)
      try relay.stop()

      // What waits in its jitter buffer is still to be played.
      pause(seconds: 1)
      player.send(signal: SIGINT)
      _ = try player.wait(within: 20)
      #expect(receiver.complaints(in: player.output).isEmpty)
      let heard = SpeechSearch(for: speech, in: try WAV.read(wav).mono)
      #expect(heard.segments >= 10)
      #expect(Double(heard.found) >= Self.leastShareFound * Double(heard.segments))
      #expect(abs(heard.gainDecibels) < Self.levelToleranceDecibels)
    }
  }
}
