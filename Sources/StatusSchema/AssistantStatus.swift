/// The assistant in a ``Status``.
public struct AssistantStatus: Sendable, Hashable, Codable {
  /// What the call does: `connecting`, `listening`, `thinking`, `speaking`, `ended` or `error`; `idle` before the
  /// first, `off` where no language model is set.
  public var state: String
  /// What it is called.
  public var name: String
  /// The colour to show it in, hexadecimal red, green and blue; absent: none is set.
  public var colour: String?
  /// The session of the newest call; absent where it is over.
  public var session: String?
  /// The line that hears its answers; absent where the caller alone does.
  public var line: String?
  /// Calls that go on.
  public var calls: Int
  /// Calls since the start.
  public var called: Int
  /// Calls since the start that could not go on.
  public var failed: Int
  /// What went wrong last, in words; absent where all is well.
  public var problem: String?
  /// Why sessions are not kept, in words; absent where they are, or nobody agreed to it.
  public var keepingProblem: String?

  /// Nothing yet.
  public init(state: String, name: String) {
    (self.state, self.name) = (state, name)
    (calls, called, failed) = (0, 0, 0)
  }
}

/// A call with the assistant, as ``Status`` is versioned; `comlink assistant show` and the page show it.
public struct SessionStatus: Sendable, Hashable, Codable {
  /// One thing that was said.
  public struct Turn: Sendable, Hashable, Codable {
    /// `user` or `assistant`.
    public var speaker: String
    /// What.
    public var text: String
    /// When, seconds since 1970.
    public var unixSeconds: Double
    /// Whether somebody took the floor before its end.
    public var isInterrupted: Bool

    /// Something that was said.
    public init(speaker: String, text: String, unixSeconds: Double, isInterrupted: Bool) {
      (self.speaker, self.text) = (speaker, text)
      (self.unixSeconds, self.isInterrupted) = (unixSeconds, isInterrupted)
    }
  }

  /// By which it is known.
  public var id: String
  /// Where the call came from: `node`, `page` or `key`.
  public var context: String
  /// When it began, seconds since 1970.
  public var startedUnixSeconds: Double
  /// When it ended; absent: it goes on, or the node stopped meanwhile.
  public var endedUnixSeconds: Double?
  /// A few words; absent until the model made them.
  public var title: String?
  /// A sentence or three; absent until the model made them.
  public var summary: String?
  /// What was said, the oldest first; absent in a list.
  public var turns: [Turn]?

  /// A session without title and turns.
  public init(id: String, context: String, startedUnixSeconds: Double) {
    (self.id, self.context) = (id, context)
    self.startedUnixSeconds = startedUnixSeconds
  }
}

/// What somebody is told before the first call, and what they said to it.
public struct ConsentStatus: Sendable, Hashable, Codable {
  /// What leaves the node, where it goes, and what is kept, in words.
  public var terms: String
  /// `none`: calls are refused; `keep`: sessions are kept; `forget`: calls leave no trace.
  public var choice: String
  /// The same in words.
  public var words = ""
  /// Whether the one who asks may agree, and see what is kept.
  public var mayAgree = true
  /// When that was said, seconds since 1970; absent for `none`.
  public var unixSeconds: Double?

  /// Terms that nobody has agreed to.
  public init(terms: String, choice: String) { (self.terms, self.choice) = (terms, choice) }
}
