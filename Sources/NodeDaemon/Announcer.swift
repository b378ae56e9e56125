internal import ControlPlane
internal import Discovery
internal import Mesh
internal import Remote
internal import Store

/// Tells the others when this node's groups change.
struct Announcer: Sendable {
  let plane: ControlPlane
  let discovery: Discovery?
  let settings: Configuration
  let state: NodeState

  /// Every connection is proved anew, and the network told.
  func groupsChanged() {
    plane.groupsChanged()
    discovery?.update(Self.service(settings, state, port: plane.localAddress.port))
  }

  /// What the network is told of this node.
  static func service(
    _ settings: Configuration, _ state: NodeState, port: UInt16
  ) -> ServiceDescription {
    ServiceDescription(
      node: state.id, name: settings.name, softwareVersion: Version.current, port: port,
      groups: state.groups)
  }
}
