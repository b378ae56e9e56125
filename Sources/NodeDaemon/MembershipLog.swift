internal import Cryptography
internal import Intercom
internal import Logging
internal import StatusSchema

/// Puts what happens among the nodes into words for the log.
///
/// Names are what others say of themselves: only the ID and its words are proved.
enum MembershipLog {
  static func write(_ event: MembershipEvent, _ log: Logger) {
    switch event {
    case .admitted(let node, let name, let isInGroup):
      log.event(
        .member, "member",
        metadata(node, name, ["by": isInGroup ? "group" : "trust or policy"]))
    case .departed(let node, let name, let reason):
      log.event(.memberGone, "member gone", metadata(node, name, ["why": "\(reason)"]))
    case .invited(let node, let name):
      log.event(
        .asks, "a node asks to be let in; run comlink accept or decline within 30 s",
        metadata(node, name))
    case .invitationEnded(let node):
      log.event(
        .asksNoMore, "the request to be let in was answered or expired", metadata(node, nil))
    case .declined(let node, let words):
      log.event(
        .declined, "a node declined this one",
        metadata(node, nil, ["says": words]))
    case .stranger(let node, let name):
      log.event(
        .stranger,
        "a called node shares no group with this one; comlink invite asks it for admission",
        metadata(node, name))
    case .unresolved(let peer, let reason):
      log.event(
        .peerUnresolved, "the peer's host name does not resolve; still trying",
        ["peer": "\(peer)", "reason": "\(reason)"])
    case .ourselves(let peer):
      log.event(
        .peerOurselves, "this --peer is this node itself; remove it",
        ["address": "\(peer)"])
    case .twin(let twin):
      var facts = ["start": "\(twin.instance)"]
      if !twin.toldBy.isEmpty { facts["by"] = twin.toldBy }
      log.event(
        .identityTwice, "\(twin.words); \(NodeStatus.twinAdvice)",
        facts.mapValues { .string($0) })
    case .forgotten(let node, let name, let teller):
      log.event(
        .forgotten, "a node that is away was forgotten by another: its name is free",
        metadata(node, name, ["by": teller]))
    case .rebuilt(let peer):
      log.event(
        .peerFailing, "peer keeps failing; still trying (logged once an hour)",
        ["peer": "\(peer)"])
    case .recording(let node, let name, let isRecording):
      log.event(
        isRecording ? .memberRecords : .memberRecordsNoMore,
        isRecording ? "a member records what it hears" : "a member stopped recording",
        metadata(node, name))
    case .fault(let words): log.event(.meshFault, "\(words)")
    }
  }

  private static func metadata(
    _ node: NodeID, _ name: String?, _ more: [String: String] = [:]
  ) -> Logger.Metadata {
    var metadata = more.mapValues { Logger.MetadataValue.string($0) }
    if let name { metadata["peer"] = "\(name)" }
    metadata["words"] = "\(node.words.joined(separator: " "))"
    return metadata
  }
}
