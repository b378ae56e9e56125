import Cryptography
import EventLoop
import Mesh

/// Updates of the media path, by comparing its state with the wanted one.
///
/// However fast a member changes its mind, its name and its keys, one task brings the media path up to date, one member
/// after the other, and each waits once at most: nothing grows.
extension Membership {
  func admit(_ node: NodeID, _ profile: NodeProfile) {
    let addresses = profile.mediaAddresses.compactMap(SocketAddress.init).filter(takes)
    if wanted[node] == nil {
      admissionCount += 1
      wanted[node] = MemberMedia(
        admission: admissionCount, name: profile.name, addresses: addresses)
    }
    wanted[node]?.name = profile.name
    note(profile.name, of: node)
    wanted[node]?.addresses = addresses
    wanted[node]?.isRecording = profile.isRecording
    tellRecording(by: node)
    bringUpToDate(node)
  }

  func expel(_ node: NodeID, saidGoodbye: Bool) {
    wanted[node] = nil
    if saidGoodbye { farewells.insert(node) }
    bringUpToDate(node)
  }

  func take(_ news: StreamNews, of node: NodeID) {
    wanted[node]?.add(news)
    bringUpToDate(node)
  }

  func bringUpToDate(_ node: NodeID) {
    guard outdated.insert(node).inserted, case .enqueued = outdatedNodes.yield(node) else { return }
    outdatedCount += 1
  }

  /// Waits until the media path has all decisions so far: blocked nodes are no longer heard.
  public func mediaKnows() async {
    guard synchronisedCount < outdatedCount else { return }
    await withCheckedContinuation { mediaWaiters.append((outdatedCount, $0)) }
  }

  /// Updates the media path on a node; one call at a time.
  func synchronise(_ node: NodeID) async {
    outdated.remove(node)
    await tellMedia(about: node)
    synchronisedCount += 1
    while let first = mediaWaiters.first, first.count <= synchronisedCount {
      mediaWaiters.removeFirst().answer.resume()
    }
  }

  private func tellMedia(about node: NodeID) async {
    let saidGoodbye = farewells.remove(node) != nil
    if let told = applied[node], wanted[node]?.admission != told.admission {
      applied[node] = nil
      await media.expel(node, saidGoodbye: saidGoodbye)
      // There is a place now.
      for waiting in refused { bringUpToDate(waiting) }
    }
    refused.remove(node)
    let isNameFreed = freedNames.remove(node) != nil
    guard let member = wanted[node] else {
      if isNameFreed { await media.freeName(of: node) }
      return
    }
    if applied[node]?.isCalledLike(member) != true {
      let told = MediaMember(
        node: node, name: member.name, addresses: member.addresses,
        isRecording: member.isRecording)
      guard await media.admit(told) else {
        refused.insert(node)
        return
      }
      applied[node] = member
    }
    guard wanted[node]?.admission == member.admission else { return }
    for news in wanted[node]?.takeNews() ?? [] {
      do {
        switch news {
        case .key(let key): try await media.install(key, of: node)
        case .end(let stream): await media.endStream(stream, of: node)
        }
      } catch {
        tell(error, of: member)
      }
    }
  }

  /// Once for each admission, as a member may send what it likes.
  private func tell(_ error: any Error, of member: MemberMedia) {
    guard let node = wanted.first(where: { $0.value.admission == member.admission })?.key,
      wanted[node]?.isFaultTold == false
    else { return }
    wanted[node]?.isFaultTold = true
    parts.report(.fault("the media key of \(member.name) is invalid: \(error)"))
  }
}

/// What a member says of a stream of its own.
enum StreamNews: Sendable {
  case key(MediaKey)
  case end(Int)

  /// Which stream it is of.
  var stream: Int {
    switch self {
    case .key(let key): key.stream
    case .end(let stream): stream
    }
  }
}

/// The media path's wanted state of a member.
struct MemberMedia: Sendable {
  /// Most keys of a stream that wait to be taken: the one in use and the next.
  static let mostKeys = 2

  /// Which admission it is: a member that left and came back begins anew.
  let admission: UInt64
  var name: String
  var addresses: [SocketAddress]
  /// Whether it says that it records.
  var isRecording = false
  /// Whether the user was notified of an invalid key.
  var isFaultTold = false
  /// What was said of its streams and not taken yet, the oldest first.
  private(set) var news: [StreamNews] = []

  init(admission: UInt64, name: String, addresses: [SocketAddress]) {
    self.admission = admission
    self.name = name
    self.addresses = addresses
  }

  /// Whether nothing but keys differs for the media path.
  func isCalledLike(_ other: MemberMedia) -> Bool {
    admission == other.admission && name == other.name && addresses == other.addresses
      && isRecording == other.isRecording
  }

  /// Queues what is said of a stream: of too many keys the oldest is dropped, and an end ends those before it.
  mutating func add(_ news: StreamNews) {
    let waiting = self.news.filter { $0.stream == news.stream }.count
    if case .end = news {
      self.news.removeAll { $0.stream == news.stream }
    } else if waiting >= Self.mostKeys,
      let oldest = self.news.firstIndex(where: {
        if case .key(let key) = $0 { key.stream == news.stream } else { false }
      })
    {
      self.news.remove(at: oldest)
    }
    self.news.append(news)
  }

  /// Takes what is queued.
  mutating func takeNews() -> [StreamNews] {
    defer { news = [] }
    return news
  }
}

/// Notices of members that record: at most one a minute for each, with its latest state.
extension Membership {
  private static let mostToldRecorders = 256

  /// Reports whether a member records, if that changed.
  func tellRecording(by node: NodeID) {
    let isRecording = wanted[node]?.isRecording == true
    guard let member = wanted[node], toldRecorders.contains(node) != isRecording else { return }
    guard recordingNews.tells(node, nowNanoseconds: now()) else {
      return tellRecordingLater(by: node)
    }
    if toldRecorders.count == Self.mostToldRecorders { _ = toldRecorders.popFirst() }
    if isRecording { toldRecorders.insert(node) } else { toldRecorders.remove(node) }
    parts.report(.recording(node, name: member.name, isRecording))
  }

  private func tellRecordingLater(by node: NodeID) {
    guard untoldRecorders.insert(node).inserted else { return }
    let wait = Duration.nanoseconds(recordingNews.wait(for: node, nowNanoseconds: now()))
    let pause = pause
    Task { [weak self] in
      guard (try? await pause(wait)) != nil else { return }
      await self?.tellUntold(of: node)
    }
  }

  private func tellUntold(of node: NodeID) {
    untoldRecorders.remove(node)
    tellRecording(by: node)
  }
}
