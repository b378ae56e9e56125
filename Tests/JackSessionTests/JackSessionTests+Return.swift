import Audio
import Glibc
import Habits
import Testing
import TestJack

@testable import JackSession

/// What is connected again when it is back.
extension JackSessionTests {
  @Test(arguments: [SIGKILL, SIGTERM])
  func `when the server dies, the session says so, waits, and runs again with all connections`(
    signal: Int32
  ) async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    #expect(station.session.setPeerPort(PeerSlot.all[0], peerName: "anna"))
    #expect(await eventually { server.ports()["comlink:peer_anna"] != nil })
    try server.connect("comlink:peer_anna", "system:playback_2")
    try server.disconnect("comlink:mix_right", "system:playback_2")
    try server.connect("system:capture_2", "comlink:mic")
    let kept: Set = [
      PortConnection(source: "comlink:peer_anna", destination: "system:playback_2"),
      PortConnection(source: "comlink:mix_left", destination: "system:playback_1"),
      PortConnection(source: "system:capture_1", destination: "comlink:mic"),
      PortConnection(source: "system:capture_2", destination: "comlink:mic"),
    ]
    #expect(await eventually { station.session.rememberedConnections == kept })

    server.end(signal: signal)
    #expect(await eventually { station.log.events.contains(.serverGone(server: server.name)) })
    #expect(await eventually { station.log.events.contains(.waiting(server: server.name)) })

    let next = try await TestServer.start(name: server.name)
    #expect(await eventually { station.runCount == 2 })
    #expect(
      await eventually { kept.allSatisfy { next.isConnected($0.source, $0.destination) } })
    #expect(!next.isConnected("comlink:mix_right", "system:playback_2"))
    #expect(
      station.log.contains {
        if case .connectionsRestored(let count) = $0 { count == 4 } else { false }
      })
  }

  @Test
  func `another program's port that goes away is connected again when it is back`() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    let meter = try Self.otherProgram(on: server)
    #expect(await eventually { server.ports()["metro:120_bpm"] != nil })
    try server.connect("metro:120_bpm", "comlink:mic")
    let tick = PortConnection(source: "metro:120_bpm", destination: "comlink:mic")
    #expect(await eventually { station.session.rememberedConnections.contains(tick) })
    meter.send(signal: SIGTERM)
    #expect(await eventually { server.ports()["metro:120_bpm"] == nil })
    let again = try Self.otherProgram(on: server)
    #expect(await eventually { server.isConnected("metro:120_bpm", "comlink:mic") })
    again.send(signal: SIGTERM)
    again.outputAtEnd()
  }

  @Test
  func `the next session is handed what this one remembers: what was cut stays cut`() async throws {
    let server = try await TestServer.start()
    let first = try Station(server: server.name)
    #expect(await first.runs())
    #expect(await eventually { server.isConnected("comlink:mix_right", "system:playback_2") })
    #expect(first.session.setPeerPort(PeerSlot.all[0], peerName: "anna"))
    #expect(await eventually { server.ports()["comlink:peer_anna"] != nil })
    try server.connect("comlink:peer_anna", "system:playback_2")
    try server.disconnect("system:capture_1", "comlink:mic")
    let isRemembered = await eventually {
      first.memories.events.last?.isCaptureCut == true
        && first.memories.events.last?.entries.count == 3
    }
    try #require(isRemembered)
    let memory = try #require(first.memories.events.last)
    #expect(
      memory.entries.contains(
        .init(source: ":peer_anna", destination: "system:playback_2", isAutomatic: false)))
    #expect(first.session.stop())
    // Under another name, too: what is kept is ours, not the client's.
    let second = try Station(server: server.name, client: "foh", memory: memory)
    #expect(await second.runs())
    #expect(second.session.setPeerPort(PeerSlot.all[5], peerName: "anna"))
    #expect(await eventually { server.isConnected("foh:peer_anna", "system:playback_2") })
    #expect(await eventually { server.isConnected("foh:mix_left", "system:playback_1") })
    #expect(server.ports()["foh:mic"] == [])
  }
}
