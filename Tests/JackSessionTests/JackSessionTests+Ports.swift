import Audio
import Glibc
import Testing
import TestJack

@testable import JackSession

/// The peers' ports.
extension JackSessionTests {
  @Test
  func `a peer's port comes, is renamed, goes, and finds its connections again`() async throws {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(station.session.setPeerPort(PeerSlot.all[7], peerName: "anna"))
    #expect(await station.runs())
    #expect(await eventually { server.ports()["comlink:peer_anna"] != nil })

    try server.connect("comlink:peer_anna", "system:playback_1")
    #expect(await eventually { server.isConnected("comlink:peer_anna", "system:playback_1") })
    #expect(station.session.clearPeerPort(PeerSlot.all[7]))
    #expect(await eventually { server.ports()["comlink:peer_anna"] == nil })
    // In one go: the old holder of the name leaves before the next one takes it.
    #expect(station.session.setPeerPort(PeerSlot.all[3], peerName: "ben"))
    #expect(station.session.setPeerPort(PeerSlot.all[3], peerName: "carl"))
    #expect(station.session.clearPeerPort(PeerSlot.all[3]))
    #expect(station.session.setPeerPort(PeerSlot.all[4], peerName: "anna"))
    #expect(await eventually { server.isConnected("comlink:peer_anna", "system:playback_1") })
    #expect(server.ports()["comlink:peer_ben"] == nil)
    #expect(server.ports()["comlink:peer_carl"] == nil)
    #expect(!station.log.contains { if case .peerPortRefused = $0 { true } else { false } })
  }

  @Test
  func `a bus' port comes, goes, and finds its connections again, also at another server`()
    async throws
  {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    let bus = MixBus.patched[2]
    #expect(station.session.setBusPort(bus, name: "line_stage"))
    #expect(await station.runs())
    #expect(await eventually { server.ports()["comlink:line_stage"] != nil })
    try server.connect("comlink:line_stage", "system:playback_1")
    #expect(await eventually { server.isConnected("comlink:line_stage", "system:playback_1") })
    #expect(station.session.clearBusPort(bus))
    #expect(await eventually { server.ports()["comlink:line_stage"] == nil })
    #expect(station.session.setBusPort(MixBus.patched[3], name: "line_stage"))
    #expect(await eventually { server.isConnected("comlink:line_stage", "system:playback_1") })
    // Its name is taken.
    #expect(station.session.setBusPort(bus, name: "line_stage"))
    #expect(
      await eventually {
        station.log.contains {
          guard case .busPortRefused("line_stage", _) = $0 else { return false }
          return $0.description.contains("line_stage")
        }
      })
  }

  @Test
  func `two peers of one name cannot both have the port: the second is refused with words`()
    async throws
  {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    #expect(await station.runs())
    station.session.setPeerPort(PeerSlot.all[0], peerName: "pi")
    station.session.setPeerPort(PeerSlot.all[1], peerName: "pi")
    #expect(
      await eventually {
        station.log.contains {
          guard case .peerPortRefused(PeerSlot.all[1], "peer_pi", _) = $0 else { return false }
          return $0.description.contains("peer_pi")
        }
      })
  }

  @Test
  func
    `a port that JACK refused is there as soon as a server has room for it, and told as lacking until then`()
    async throws
  {
    // Its own four, and our three.
    let server = try await TestServer.start(portLimit: 8)
    let station = try Station(server: server.name)
    #expect(await station.runs())
    let slot = PeerSlot.all[2]
    #expect(station.session.setPeerPort(slot, peerName: "anna"))
    #expect(await eventually { station.refusalCount == 1 && station.session.refusesPort(of: slot) })
    #expect(station.connection != nil)
    server.end(signal: SIGTERM)
    #expect(await eventually { station.log.events.contains(.waiting(server: server.name)) })
    let next = try await TestServer.start(name: server.name)
    #expect(await eventually { station.runCount == 2 })
    #expect(await eventually { next.ports()["comlink:peer_anna"] != nil })
    #expect(await eventually { !station.session.refusesPort(of: slot) })
    #expect(station.refusalCount == 1)
  }

  @Test
  func `a port that JACK refused is there soon after another program's has gone`() async throws {
    let server = try await TestServer.start(portLimit: 9)
    let other = try Self.otherProgram(on: server)
    #expect(await eventually { server.ports()["metro:120_bpm"] != nil })
    let station = try Station(server: server.name)
    #expect(await station.runs())
    let slot = PeerSlot.all[2]
    #expect(station.session.setPeerPort(slot, peerName: "anna"))
    #expect(await eventually { station.session.refusesPort(of: slot) })
    other.send(signal: SIGTERM)
    other.outputAtEnd()
    #expect(await eventually { server.ports()["comlink:peer_anna"] != nil })
    #expect(await eventually { !station.session.refusesPort(of: slot) })
    // A server with less room than before takes it away again, and that is told.
    server.end(signal: SIGTERM)
    #expect(await eventually { station.log.events.contains(.waiting(server: server.name)) })
    let next = try await TestServer.start(name: server.name, portLimit: 8)
    #expect(await eventually { station.runCount == 2 })
    #expect(await eventually { station.session.refusesPort(of: slot) })
    #expect(next.ports()["comlink:mic"] != nil)
  }
}
