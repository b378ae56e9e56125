import Intercom
import Testing

@testable import NodeDaemon

@Suite struct PipeWireQuantumTests {
  @Test(arguments: [
    (ProfileChoice.of(.stage), "128/48000"), (.of(.wifi), "256/48000"), (.of(.saver), "512/48000"),
    (.none, "256/48000"),
  ])
  func `PipeWire is asked for the period of the profile`(profile: ProfileChoice, wish: String) {
    #expect(PipeWireQuantum.wish(frames: profile.quantumFrames, environment: [:]) == wish)
    let empty = ["PIPEWIRE_LATENCY": "", "PIPEWIRE_PROPS": "{ media.name = \"x\" }"]
    #expect(PipeWireQuantum.wish(frames: profile.quantumFrames, environment: empty) == wish)
  }

  @Test(arguments: [
    ["PIPEWIRE_LATENCY": "64/48000"], ["PIPEWIRE_QUANTUM": "64/48000"],
    ["PIPEWIRE_PROPS": "{ node.latency = 64/48000 }"],
    ["PIPEWIRE_PROPS": "{ node.force-quantum = 64 }"],
  ])
  func `what the user has said of it stands`(environment: [String: String]) {
    #expect(PipeWireQuantum.wish(frames: 128, environment: environment) == nil)
  }
}
