import Mesh

/// An attempt under way in a ``MeshNetwork``.
final class MeshDial {
  let attempt: AttemptID
  let from: Int
  let instance: UInt64
  let to: Int?
  var isOver = false

  init(attempt: AttemptID, from: Int, instance: UInt64, to: Int?) {
    self.attempt = attempt
    self.from = from
    self.instance = instance
    self.to = to
  }
}
