/// A person at a browser who is a guest of a node, in a ``Status``: of this node, or in a ``PeerStatus`` of that one.
public struct GuestStatus: Sendable, Hashable, Codable {
  /// A call with the assistant by the guest's own microphone.
  public struct AssistantCall: Sendable, Hashable, Codable {
    /// Its session.
    public var session: String
    /// What it does, as ``AssistantStatus/state``.
    public var state: String

    /// A call that does so.
    public init(session: String, state: String) { (self.session, self.state) = (session, state) }
  }

  /// What it is called.
  public var name: String
  /// The colour to show it in, red, green and blue as `ff8000`; absent: its node's.
  public var colour: String?
  /// Its number at this node; absent of a peer's guest.
  public var number: Int?
  /// The page's session that it came by, as `page list` has it; absent of a peer's guest.
  public var session: String?
  /// Whether a key of it is open; absent of a peer's guest.
  public var isOn: Bool?
  /// Its call with the assistant; absent where there is none, and of a peer's guest.
  public var assistant: AssistantCall?
  /// Whether its sound comes in right now.
  public var isTalking: Bool
  /// RMS level of its sound, dBFS, never below ``Level/silenceDBFS``.
  public var levelDBFS: Double
  /// How long its frames wait before they are played, milliseconds.
  public var playoutDelayMilliseconds: Double
  /// Variation of its frames' delay (RFC 3550 §6.4.1), milliseconds.
  public var jitterMilliseconds: Double
  /// Frames received.
  public var received: Int
  /// Frames that never came.
  public var lost: Int
  /// Frames made up because they were not there in time.
  public var concealed: Int
  /// How good it is heard, as a peer's; absent until it was.
  public var quality: Double?
  /// Its JACK output port; empty while there is none.
  public var port: String

  /// A guest about whom nothing is known yet.
  public init(name: String) {
    self.name = name
    isTalking = false
    levelDBFS = Level.silenceDBFS
    (playoutDelayMilliseconds, jitterMilliseconds) = (0, 0)
    (received, lost, concealed) = (0, 0, 0)
    port = ""
  }
}
