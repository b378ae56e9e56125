internal import Intercom
internal import Remote
internal import StatusSchema

/// Carries requests of the control socket out on the node.
struct NodeControl: ControlHandler {
  let node: Intercom

  func handle(_ request: ControlRequest) async -> ControlResponse {
    do throws(IntercomError) {
      switch request {
      case .status: return .status(await node.status())
      case .version: return .version(Version.current, schema: Status.currentSchema)
      case .talk(let isOn): await node.setTalk(isOn)
      case .gain(let peer, let decibels): try await node.setGain(decibels, peer: peer)
      case .mute(let peer, let isOn): try await node.setMuted(isOn, peer: peer)
      case .pan(let peer, let position): try await node.setPan(position, peer: peer)
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }
}
