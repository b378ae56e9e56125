internal import Logging
internal import Synchronization

/// What holds for this run only, as it cannot be written, and why; told when that begins, and when it is over.
final class KeepingProblems: Sendable {
  /// What a node keeps as it changes; the words go before "for this run only".
  enum Matter: String, CaseIterable {
    case mix = "gain, pan, mute and talk hold"
    case ports = "connections of JACK ports hold"
    case names = "what members of one name are called holds"
    case trust = "whom this node trusts and blocks holds"

    /// The name of the event that it is not kept.
    fileprivate var event: String { self == .trust ? "trust-not-kept" : "not-kept" }
  }

  private let log: Logger
  private let problems = Mutex<[Matter: String]>([:])

  init(log: Logger) { self.log = log }

  /// Takes how keeping something went; nil: it is kept.
  ///
  /// Any thread.
  func note(_ matter: Matter, _ problem: String?) {
    let before = problems.withLock { problems in
      defer { problems[matter] = problem }
      return problems[matter]
    }
    if let problem, before == nil {
      log.event(matter.event, .error, "\(matter.rawValue) for this run only: \(problem)")
    } else if problem == nil, before != nil {
      log.event("kept", .notice, "\(matter.rawValue) beyond this run again")
    }
  }

  /// All of it in words; nil: everything is kept.
  var words: String? {
    let problems = problems.withLock { $0 }
    let all = Matter.allCases.compactMap { matter in
      problems[matter].map { "\(matter.rawValue) for this run only: \($0)" }
    }
    return all.isEmpty ? nil : all.joined(separator: "; ")
  }
}
