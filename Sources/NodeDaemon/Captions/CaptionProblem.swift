internal import Captions
internal import Intercom
internal import Lines

/// Why something cannot be done with captions.
enum CaptionProblem: Error, Sendable {
  /// No recogniser is set.
  case noService
  /// It hosts a session.
  case isHosting
  /// No session is called so.
  case noSession(String)
  /// Several are, with these IDs.
  case manySessions(String, [String])
  /// Several are joined, with these IDs.
  case manyJoined([String])
  /// The line is private.
  case privateLine(String)
  case hosted(HostedError)
  case line(LineError)
  /// This node is not on a line of that name.
  case notOnLine(String)
  case desk(CaptionError)
  case node(IntercomError)
  /// What was kept cannot be deleted, in words.
  case kept(String)
}

extension CaptionProblem: CustomStringConvertible {
  /// One sentence for people: what is wrong, then what to do.
  var description: String {
    switch self {
    case .noService:
      "no service here recognises speech; set asr in the table [speech] of comlink.toml, then restart comlinkd"
    case .notOnLine(let line):
      "this node is not on a line \"\(line.prefix(40))\", so it hears nothing of it; comlink line join it first"
    case .isHosting: "this node hosts a session; end it with: comlink session end"
    case .noSession(let name):
      "there is no session \"\(name.prefix(63))\"; comlink session list has those there are"
    case .manySessions(let name, let ids):
      "\(ids.count) sessions are called \"\(name.prefix(63))\"; give the ID of one: "
        + ids.prefix(8).joined(separator: ", ")
    case .manyJoined(let ids):
      "\(ids.count) sessions are joined; give the ID of one: \(ids.joined(separator: ", "))"
    case .privateLine(let line):
      "line \"\(line)\" is private, and sessions are told to all; comlink captions on --line captions it"
    case .hosted(let error): "\(error)"
    case .line(let error): "\(error)"
    case .desk(let error): "\(error)"
    case .node(let error): "\(error)"
    case .kept(let words): words
    }
  }
}
