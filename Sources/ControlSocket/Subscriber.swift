internal import Glibc
package import NIOCore
package import Remote

/// What a client that subscribed was shown, and whether it is ready for more.
///
/// Lives on the server's loop. States: *drained* (all that was written was read) → *shown* (a line is on its way, or in
/// the kernel and not read yet; pictures pass by) → drained. So a slow reader gets the newest picture as soon as it has
/// read the last, and nothing of what was in between.
package struct Subscriber {
  /// How it wants levels.
  package let levels: LevelForm
  private let socket: Int32
  private var picture: NodePicture?
  /// Whether a line is not yet all with the kernel.
  private var isWriting = false
  /// When it was seen to have read all that it was shown.
  package private(set) var drained = NIODeadline.now()

  /// A client at the other end of a socket.
  package init(levels: LevelForm, socket: Int32) {
    self.levels = levels
    self.socket = socket
  }

  /// One that asked again goes on with what it has, but for levels.
  package init(levels: LevelForm, insteadOf former: Subscriber) {
    self = Subscriber(levels: levels, socket: former.socket)
    (isWriting, drained) = (former.isWriting, former.drained)
  }

  /// What is to be done now.
  package enum Turn {
    /// To be written; ``Subscriber/written()`` follows once the kernel has it.
    case line(ByteBuffer)
    /// It has not read the last line yet: to be asked again soon.
    case later
    /// Nothing is to be told.
    case nothing
  }

  /// What it is to get now.
  package mutating func next(of feed: ChangesFeed) -> Turn {
    guard !isWriting, isRead else { return .later }
    drained = .now()
    guard let (newest, line) = feed.line(after: picture, levels: levels) else {
      return .nothing
    }
    picture = newest
    guard let line else { return .nothing }
    isWriting = true
    return .line(line)
  }

  /// The kernel has the whole line.
  package mutating func written() { isWriting = false }

  /// Whether the client has read all that was written (TIOCOUTQ; of a UNIX socket what the other end has not read, of
  /// TCP what its system has not acknowledged).
  private var isRead: Bool {
    var unread: Int32 = 0
    return unsafe ioctl(socket, UInt(TIOCOUTQ), &unread) != 0 || unread == 0
  }
}
