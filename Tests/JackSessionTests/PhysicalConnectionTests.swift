import Testing

@testable import JackSession

struct PhysicalConnectionTests {
  static let capture = ["system:capture_1", "system:capture_2"]
  static let playback = ["system:playback_1", "system:playback_2", "system:playback_3"]

  @Test
  func `a stereo card gets the mic from its first port, and the mix on its first two`() {
    #expect(
      Self.connections(Self.capture, Self.playback) == [
        "system:capture_1 > comlink:mic", "comlink:mix_left > system:playback_1",
        "comlink:mix_right > system:playback_2",
      ])
  }

  @Test
  func `a mono card gets both sides on its one port`() {
    #expect(
      Self.connections(Array(Self.capture.prefix(1)), Array(Self.playback.prefix(1))) == [
        "system:capture_1 > comlink:mic", "comlink:mix_left > system:playback_1",
        "comlink:mix_right > system:playback_1",
      ])
  }

  @Test
  func `what a card lacks stays unconnected`() {
    #expect(Self.connections([], []) == [])
    #expect(Self.connections(Self.capture, []) == ["system:capture_1 > comlink:mic"])
    #expect(Self.connections([], Self.playback).count == 2)
  }

  private static func connections(_ capture: [String], _ playback: [String]) -> [String] {
    (CardPorts.connections(.capture, client: "comlink", ports: capture)
      + CardPorts.connections(.playback, client: "comlink", ports: playback))
      .map { "\($0.source) > \($0.destination)" }
  }
}
