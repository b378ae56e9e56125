internal import Captions
internal import Cryptography
internal import EventLoop
internal import Lines
internal import Logging
internal import Mesh
internal import StatusSchema

/// Hosted sessions.
extension CaptionService {
  /// All captions that are held.
  var shelf: CaptionShelf {
    CaptionShelf(own: parts.own, desk: desk, hosted: hosted, name: directory.name)
  }

  // MARK: What people ask for

  /// Hosts a session; all members are told.
  ///
  /// - Parameters:
  ///   - line: the line whose talk is captioned; nil: the line of all.
  ///   - isSolo: this node's own words alone are captioned.
  func host(
    _ name: String, line: String?, isSolo: Bool
  ) async throws(CaptionProblem) {
    let scope = try await sessionScope(line ?? LineName.all.text, isSolo: isSolo)
    let title = SessionTitle(
      name: name, line: line ?? LineName.all.text, isSolo: isSolo)
    guard hosted.hosting == nil else { throw .hosted(.isHosting) }
    try await beginCaptioner(scope) { service throws(CaptionProblem) in
      do throws(HostedError) {
        _ = try service.hosted.begin(
          title, host: service.name(of: service.parts.own),
          nowNanoseconds: EventLoop.nowNanoseconds())
      } catch {
        throw .hosted(error)
      }
    }
  }

  /// Goes on with a session whose host is gone.
  func resume(_ text: String) async throws(CaptionProblem) {
    let view = try session(text)
    guard hosted.hosting == nil else { throw .hosted(.isHosting) }
    if view.state == .live { throw .hosted(.isLive(host: view.host)) }
    try await joinLine(view.line)
    let scope = try await sessionScope(view.line, isSolo: view.isSolo)
    leftSessions.remove(view.session)
    try await beginCaptioner(scope) { service throws(CaptionProblem) in
      do throws(HostedError) {
        _ = try service.hosted.resume(
          view.session, host: service.name(of: service.parts.own),
          nowNanoseconds: EventLoop.nowNanoseconds())
      } catch {
        throw .hosted(error)
      }
    }
  }

  private func sessionScope(
    _ line: String, isSolo: Bool
  ) async throws(CaptionProblem) -> CaptionScope {
    let views = await parts.lines.views
    guard let name = try? LineName(line), let view = views.first(where: { $0.name == name }),
      view.isJoined
    else { throw .notOnLine(line) }
    guard !view.isPrivate else { throw .privateLine(line) }
    var scope = CaptionScope(words: "line \(name)")
    scope.line = name
    if isSolo { scope.members = [parts.own] }
    return scope
  }

  /// Joins a session, and its line.
  func joinSession(_ text: String) async throws(CaptionProblem) {
    let view = try session(text)
    try await joinLine(view.line)
    do throws(HostedError) {
      try hosted.join(session: view.session, nowNanoseconds: EventLoop.nowNanoseconds())
    } catch {
      throw .hosted(error)
    }
    leftSessions.remove(view.session)
    await followPlaces()
    settle()
    changed()
  }

  private func joinLine(_ line: String) async throws(CaptionProblem) {
    do throws(LineError) {
      let name = try LineName(line)
      guard await parts.lines.views.first(where: { $0.name == name })?.isJoined != true else {
        return
      }
      try await parts.lines.change { desk, _ throws(LineError) in
        try desk.join(name, isPrivate: false)
      }
    } catch {
      throw .line(error)
    }
  }

  /// Leaves a session; nil: the only one that is joined.
  func leaveSession(_ text: String?) throws(CaptionProblem) {
    let joined = hosted.views.filter(\.isJoined)
    let view: HostedView
    if let text {
      view = try session(text)
    } else {
      guard let only = joined.first else { throw .hosted(.notJoined) }
      guard joined.count == 1 else {
        throw .manyJoined(joined.map(\.session.text))
      }
      view = only
    }
    do throws(HostedError) { try hosted.leave(session: view.session) } catch {
      throw .hosted(error)
    }
    leftSessions.insert(view.session)
    settle()
    changed()
  }

  /// Ends the session that this node hosts.
  func endSession() async throws(CaptionProblem) {
    guard hosted.hosting != nil else { throw .hosted(.isNotHosting) }
    await stopCaptioner()
  }

  /// The session of that name, of a host of that name, or of that ID; of several those that are not over.
  private func session(_ text: String) throws(CaptionProblem) -> HostedView {
    let views = hosted.views
    if let view = views.first(where: { $0.session.text == text }) { return view }
    let found = views.filter { $0.name == text || $0.host == text }
    let open = found.filter { $0.state != .over }
    let candidates = open.isEmpty ? found : open
    guard let view = candidates.first else { throw .noSession(text) }
    guard candidates.count == 1 else {
      throw .manySessions(text, candidates.map(\.session.text))
    }
    return view
  }

  // MARK: What happens

  /// Takes who is in which groups, and what else sessions follow by themselves.
  func followSessions() {
    hosted.follow(ownGroups: directory.groups(of: parts.own), only: directory.onlyGroup)
    let battery = parts.battery.status
    let percent = battery?.isPlugged == true ? nil : battery?.percent
    hosted.follow(
      batteryPercent: percent.map { UInt8(clamping: $0) },
      nowNanoseconds: EventLoop.nowNanoseconds())
    guard directory.ownProfile.people == .deaf || directory.ownProfile.people == .both else {
      return
    }
    // Who cannot hear reads what is said on their lines.
    let lines = Set(directory.lines.filter(\.isJoined).map(\.name.text))
    for view in hosted.views
    where view.state == .live && !view.isJoined && lines.contains(view.line)
      && !leftSessions.contains(view.session)
    {
      try? hosted.join(session: view.session, nowNanoseconds: EventLoop.nowNanoseconds())
    }
  }

  /// Tells what happened.
  func tell(_ event: HostedEvent) {
    switch event {
    case .chunk(let part, let index):
      journal.note(part, index)
      noteSessionTranscript(ofPart: part)
    case .part(let part):
      journal.note(part, of: hosted.transcript(ofPart: part))
      noteSessionTranscript(ofPart: part)
    case .forgotten(let part):
      journal.forget(part)
      transcripts?.forget(part)
      keeping.forget(part)
    case .news(let session, let news): tell(news, of: session)
    case .refused(let node, let fault): tellRefused(fault, of: node)
    }
  }

  private func noteSessionTranscript(ofPart part: CaptionSessionKey) {
    guard let session = hosted.session(ofPart: part), hosted.joined[session] != nil else { return }
    noteTranscript(of: session)
  }

  private func tell(_ news: SessionNews, of session: CaptionSessionKey) {
    guard let view = hosted.view(session) else { return }
    let (event, words) = Self.words(for: news, view)
    parts.log.event(
      event, "\(words)",
      ["session": "\(view.name)", "host": "\(view.host)", "line": "\(view.line)"])
    if news == .handedBack { Task { await self.stopCaptioner() } }
    guard view.isJoined, news != .announced else { return }
    journal.note(alert: words, of: session, seconds: Double(view.lastMilliseconds) / 1000)
  }

  private static func words(
    for news: SessionNews, _ view: HostedView
  ) -> (EventName, String) {
    switch news {
    case .announced: (.session, "a session is hosted")
    case .hostLost:
      (.sessionHostLost, "the host is gone; comlink session continue goes on with the session")
    case .hostBack: (.sessionHostBack, "the host is back")
    case .resumed: (.sessionResumed, "\(view.host) goes on with the session")
    case .ended: (.sessionEnded, "the session is over")
    case .batteryLow(let percent):
      (.sessionBatteryLow, "the battery of the host is low, \(percent) %")
    case .handedBack: (.sessionHostBack, "the host is back, and this node hosts no more")
    }
  }

  /// Somebody at this node was shown these.
  func noteRead(_ chunks: [CaptionStatus]) {
    for session in hosted.joined.keys {
      let last = chunks.lazy.filter { $0.hosted == session.text }.map(\.startSeconds).max()
      guard let last else { continue }
      hosted.note(
        readMilliseconds: UInt32(clamping: Int(last * 1000)), of: session,
        nowNanoseconds: EventLoop.nowNanoseconds())
    }
  }
}
