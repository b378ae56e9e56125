/// One thing that was said in a call.
public struct SessionTurn: Hashable, Sendable {
  /// Who said it.
  public enum Speaker: String, Hashable, Sendable {
    case user, assistant
  }

  /// Who said it.
  public var speaker: Speaker
  /// What.
  public var text: String
  /// When, milliseconds since 1970.
  public var unixMilliseconds: Int64
  /// Whether somebody took the floor before its end: only what was heard is here.
  public var isInterrupted: Bool

  /// Something that was said.
  public init(
    _ speaker: Speaker, _ text: String, unixMilliseconds: Int64, isInterrupted: Bool = false
  ) {
    (self.speaker, self.text) = (speaker, text)
    (self.unixMilliseconds, self.isInterrupted) = (unixMilliseconds, isInterrupted)
  }
}

/// A call that is, or was, with the assistant.
public struct AssistantSession: Hashable, Sendable {
  /// Where calls come from.
  public enum Context: String, Hashable, Sendable, CaseIterable {
    /// The station: its command line, or its microphone.
    case node
    /// A phone's page, or a program that uses the page's interface.
    case page
    /// A key.
    case key
  }

  /// By which it is known: letters and digits that nobody guesses.
  public var id: String
  /// Whose it is, as ``Consent/caller``.
  public var caller: String
  /// Where the call came from.
  public var context: Context
  /// When it began, milliseconds since 1970.
  public var startedUnixMilliseconds: Int64
  /// When it ended; nil: it goes on, or the node stopped meanwhile.
  public var endedUnixMilliseconds: Int64?
  /// What it was about, made after the end.
  public var digest: SessionDigest?

  /// A call that begins.
  public init(id: String, caller: String, context: Context, startedUnixMilliseconds: Int64) {
    (self.id, self.caller, self.context) = (id, caller, context)
    self.startedUnixMilliseconds = startedUnixMilliseconds
  }
}

/// What somebody agreed to before the first call.
public struct Consent: Hashable, Sendable {
  /// Who: empty for the whole node, else a caller of a shared station.
  public var caller: String
  /// Where what is said goes, as the agreed words had it: elsewhere needs another agreement.
  public var destination: String
  /// Whether sessions may be kept.
  public var keeps: Bool
  /// When, milliseconds since 1970.
  public var unixMilliseconds: Int64

  /// An agreement.
  public init(caller: String, destination: String, keeps: Bool, unixMilliseconds: Int64) {
    (self.caller, self.destination) = (caller, destination)
    (self.keeps, self.unixMilliseconds) = (keeps, unixMilliseconds)
  }
}
