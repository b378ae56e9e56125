import ControlSocket
import Remote
import StatusSchema
import Testing

@testable import NodeDaemon

@Suite struct ControlRelayTests {
  private struct Node: ControlHandler {
    func handle(_ request: ControlRequest) async -> ControlResponse { .ok }
  }

  @Test func `requests reach the node while there is one, the version is always told`() async {
    let relay = ControlRelay()
    let version = ControlResponse.version(Version.current, schema: Status.currentSchema)
    let absent = ControlResponse.error(
      message: "the node is starting or exiting; try again")
    #expect(await relay.handle(.talk(isOn: true)) == absent)
    #expect(await relay.handle(.version) == version)
    relay.attach(Node())
    #expect(await relay.handle(.talk(isOn: true)) == .ok)
    #expect(await relay.handle(.version) == version)
    relay.detach()
    #expect(await relay.handle(.talk(isOn: true)) == absent)
  }
}
