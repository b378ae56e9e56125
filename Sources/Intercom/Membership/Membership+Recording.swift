import Cryptography
import Mesh

/// Who records: told once a minute of each member, however often it changes its mind, and then as it is.
extension Membership {
  private static let mostToldRecorders = 256

  /// Tells whether a member records, if that is not what was told last.
  func tellRecording(by node: NodeID) {
    let isRecording = wanted[node]?.isRecording == true
    guard let member = wanted[node], toldRecorders.contains(node) != isRecording else { return }
    guard recordingNews.tells(node, nowNanoseconds: now()) else {
      return tellRecordingLater(by: node)
    }
    if toldRecorders.count == Self.mostToldRecorders { _ = toldRecorders.popFirst() }
    if isRecording { toldRecorders.insert(node) } else { toldRecorders.remove(node) }
    parts.report(.recording(node, name: member.name, isRecording))
  }

  private func tellRecordingLater(by node: NodeID) {
    guard untoldRecorders.insert(node).inserted else { return }
    let wait = Duration.nanoseconds(recordingNews.wait(for: node, nowNanoseconds: now()))
    let pause = pause
    Task { [weak self] in
      guard (try? await pause(wait)) != nil else { return }
      await self?.tellUntold(of: node)
    }
  }

  private func tellUntold(of node: NodeID) {
    untoldRecorders.remove(node)
    tellRecording(by: node)
  }
}
