public import StatusSchema

/// Whom the doctor looks at: this user's daemon, if it runs, and this user.
public struct Patient: Sendable {
  /// What the daemon tells of itself; nil: none answers.
  public var status: Status?
  /// Why none answers, in words.
  public var silence: String?
  /// The daemon's process; nil: none answers.
  public var process: Int32?
  /// Where the daemon keeps its state, or would; nil: nowhere.
  public var statePath: String?
  /// Who asks.
  public var userName: String
  /// The number of who asks.
  public var userID: UInt32

  /// A user without a daemon.
  public init(userName: String, userID: UInt32) {
    self.userName = userName
    self.userID = userID
  }
}
