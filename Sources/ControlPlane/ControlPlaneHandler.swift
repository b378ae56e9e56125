public import Mesh

/// Who is told what happens to a ``ControlPlane``'s connections.
public protocol ControlPlaneHandler: Sendable {
  /// Takes an event of ``Mesh``: securing, dialled, failed, accepted, received, closed or groupsChanged.
  ///
  /// All of them come one after the other, each when the last returned, in the order in which they happened: a set of
  /// proving connections would be wrong at any other moment. A connection is not read on while a message of it waits for its
  /// turn, so that a flood slows down its sender. Must not wait for ``ControlPlane/stop()``.
  func handle(_ event: MeshEvent) async

  /// Takes, in the same order, why a connection or an attempt came to nothing.
  ///
  /// Strangers can cause as many as they like: to be logged once in a while for each reason. Of a flood some are left out, but
  /// ``ControlPlane/faultCounts`` has all.
  func note(_ fault: ControlFault) async

  /// Takes a connection that somebody opened in order to pair; it is closed when this returns.
  ///
  /// Beside the others, each in a task of its own.
  func pair(_ channel: PairingChannel) async
}
