public import StatusSchema

/// Whom the doctor looks at: the daemon that this user can ask, the service that is installed, or this user.
public struct Patient: Sendable {
  /// What the daemon tells of itself; nil: none answers.
  public var status: Status?
  /// Why none answers, in words.
  public var silence: String?
  /// The daemon's process; nil: none answers.
  public var process: Int32?
  /// Where a daemon of this user would keep its state; nil: nowhere.
  public var statePath: String?
  /// Where the service would; nil: the service is not meant.
  public var serviceStatePath: String?
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
