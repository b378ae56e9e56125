import Cryptography
import Mesh
import StatusSchema

/// Everybody who is a member, asks to be one, is trusted or blocked, or is looked for: as the user reads of them.
///
/// By the names that mixer and JACK's ports have: of members of one name each has another.
struct KnownNodes {
  let mesh: Mesh
  let directory: NodeDirectory
  /// What members are called by the media path.
  let called: [NodeID: String]
  let nowNanoseconds: Int64

  var all: [KnownNodeStatus] {
    var all: [NodeID: KnownNodeStatus] = [:]
    var nameless: [KnownNodeStatus] = []
    for report in mesh.reports {
      switch report.target {
      case .node(let node):
        all[node] = status(node, name: called[node] ?? "", report)
      case .named(let number):
        // Who answered there has a line of its own.
        guard report.answeredBy == nil else { continue }
        let peer = directory.named[number] ?? ""
        var status = KnownNodeStatus(name: peer, state: state(of: report))
        status.failures = report.failureCount
        status.attempt = attempt(of: report)
        nameless.append(status)
      }
    }
    for (node, seen) in directory.announced where all[node]?.name.isEmpty ?? true {
      all[node] = all[node] ?? status(node, name: "", nil)
      all[node]?.name = seen.name
    }
    for (node, name) in directory.strangers where !mesh.memory.blocked.contains(node) {
      all[node] = status(node, name: name, nil)
      all[node]?.state = "stranger"
    }
    for invitation in directory.invitations.values {
      all[invitation.node] = status(invitation.node, name: invitation.profile.name, nil)
      all[invitation.node]?.state = "asks to be let in"
      all[invitation.node]?.secondsLeft =
        Double(max(0, invitation.deadlineNanoseconds - nowNanoseconds)) / 1e9
    }
    for node in mesh.memory.trusted.union(mesh.memory.blocked) where all[node] == nil {
      all[node] = status(node, name: called[node] ?? "", nil)
    }
    return all.sorted { $0.key < $1.key }.map(\.value) + nameless
  }

  private func status(
    _ node: NodeID, name: String, _ report: DialReport?
  ) -> KnownNodeStatus {
    let called = name.isEmpty ? directory.name(of: node) : name
    var status = KnownNodeStatus(name: called, state: report.map(state(of:)) ?? "away")
    status.id = node.text
    status.idWords = node.words.joined(separator: " ")
    let member = mesh.members.first { $0.node == node }
    status.isRecording = member?.profile.isRecording
    status.role = member?.profile.shownRole
    status.colour = member?.profile.shownColour
    status.people = member?.profile.people?.rawValue
    status.version = member?.profile.shownVersion
    status.admission =
      mesh.memory.blocked.contains(node)
      ? "blocked"
      : member?.isInGroup == true
        ? "group"
        : mesh.memory.trusted.contains(node) ? "trusted" : member == nil ? nil : "open"
    status.failures = report?.failureCount ?? 0
    status.attempt = report.flatMap(attempt(of:))
    return status
  }

  private func state(of report: DialReport) -> String {
    switch report.progress {
    case .resting: "away"
    case .waiting: "waiting to try again"
    case .resolving: "looked up"
    case .connecting: "connecting"
    case .securing: "securing"
    case .greeting: "greeting"
    case .asking: "asked to let us in"
    case .connected: "member"
    }
  }

  /// The attempt under way, or the next.
  private func attempt(of report: DialReport) -> AttemptStatus? {
    let isAwaited: Bool
    let end: Int64
    if let watchdog = report.watchdogNanoseconds {
      (isAwaited, end) = (false, watchdog)
    } else if case .waiting(let beginning) = report.progress {
      (isAwaited, end) = (true, beginning)
    } else {
      return nil
    }
    var attempt = AttemptStatus(
      number: report.failureCount + 1, isAwaited: isAwaited,
      secondsLeft: Double(max(0, end - nowNanoseconds)) / 1e9)
    if case .connecting(let address, let count) = report.progress {
      (attempt.address, attempt.addressCount) = (address, count)
    }
    return attempt
  }

  /// Who the user means, see ``NodeSearch``.
  ///
  /// - Parameter invitations: who may be meant by name; nil: everybody.
  func find(
    _ text: String, among invitations: [NodeID: Invitation]?
  ) throws(IntercomError) -> NodeID {
    var known = all.map { one in
      (name: one.name, node: one.id.flatMap { NodeID(text: $0) })
    }
    // Also who is looked for no more and has its name still, as a box that was flashed anew.
    let listed = Set(known.compactMap(\.node))
    known += called.filter { !listed.contains($0.key) }.map { (name: $0.value, node: $0.key) }
    let search = NodeSearch(
      candidates: known.map { one in
        NodeSearch.Candidate(
          node: one.node, name: one.name,
          isNameable: one.node.map { invitations?.keys.contains($0) ?? true } ?? false)
      })
    guard let node = known[try search.index(of: text)].node else {
      throw .unknownPeer(text, known: known.map(\.name).filter { !$0.isEmpty })
    }
    return node
  }
}
