import EventLoop
import Intercom
import NodeDaemon

/// Media that are not encrypted, of whoever sends them.
struct ClearMedia: Rehearsal {
  let warning = "media are not encrypted; for tests on this machine"

  func prepare(_ configuration: inout IntercomConfiguration) {
    configuration.protectsMedia = false
  }

  func call(_ addresses: [SocketAddress], from node: Intercom) async {
    for address in addresses { await node.addPeer(address) }
  }
}
