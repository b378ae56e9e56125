import Lines
import Remote
import Speech
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import Intercom
@testable import NodeDaemon

/// Calls of phones that are guests, and of people who share a station, with services that do as they are told.
@Suite(.timeLimit(.minutes(1))) struct GuestCallTests {
  /// Phones by their sessions at the page.
  private struct Phones: GuestEars {
    let ears: [String: TestEar]

    func ear(of session: String, page: String) async -> (number: Int, door: any EarDoor)? {
      ears["\(session)/\(page)"].map { (7, $0) }
    }
  }

  private let folder: TestFolder
  private let model: ModelServer
  private let speech: FakeSpeech
  private let station = TestEar(isInStep: true), phone = TestEar(isInStep: true)

  init() throws {
    folder = try TestFolder()
    model = try ModelServer()
    speech = try FakeSpeech()
    model.answers = ["It is three miles."]
    speech.text.withLock { $0 = "How far is it?" }
  }

  private func office(isShared: Bool = true, language: String = "") throws -> AssistantOffice {
    var settings = AssistantSettings()
    try settings.set(.assistantURL, to: .text("http://127.0.0.1:\(model.port)/v1"))
    try settings.set(.assistantShared, to: .boolean(isShared))
    var services = SpeechSettings()
    for setting in [Setting.speechASR, .speechTTS] {
      try services.set(setting, to: .text("tcp://127.0.0.1:\(speech.port)"))
    }
    try services.set(.speechLanguage, to: .text(language))
    return AssistantOffice(
      settings, services, directory: folder.path, door: station, stage: TestStage(),
      guests: Phones(ears: ["anna/secret": phone]), log: LogLines().logger("assistant"))
  }

  private func caller(_ session: String, _ rights: PageRights = .talk) -> AssistantCaller {
    var caller = AssistantCaller()
    (caller.context, caller.name, caller.rights) = ("page", "page \(session)", rights)
    return caller
  }

  private func wait(_ what: String, until isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(15)
    while ContinuousClock.now < end {
      if try await isSo() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("never: \(what)")
  }

  private func refusal(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test func `a phone calls by its own microphone, beside the station's own call`() async throws {
    let office = try office()
    for caller in [caller("anna"), AssistantCaller()] { _ = try await office.agree(true, caller) }
    _ = try await office.call(caller("anna"), isSpoken: true, guest: "secret")
    try await wait("listens") { await office.guestCall(of: 7)?.state == "listening" }
    // The station's key shows the station's call.
    #expect(await office.tally == .off)
    #expect(await office.status.session == nil)
    #expect(phone.opened.withLock { $0 } == 1 && station.opened.withLock { $0 } == 0)
    // The station's key is for the station's call.
    await office.pressed()
    try await wait("listens, too") { station.opened.withLock { $0 } == 1 }
    #expect(await office.status.calls == 2)
    #expect(await office.tally != .off)
    // What others type shows in no key either.
    _ = try await office.agree(false, caller("bert"))
    let typed = try await office.turn("How far is it?", in: nil, caller("bert")).id
    try await office.end(typed, caller("bert"))
    #expect(await office.tally != .off)
    #expect(await office.status.session != typed)
    phone.say(seconds: 0.8)
    try await wait("hears the answer") { phone.isHearing }
    #expect(!station.ear.withLock { $0.contains(true) })
    await office.pressed()
    #expect(await office.tally == .off)
    try await wait("the station's is over") { await office.status.calls == 1 }
    #expect(phone.opened.withLock { $0 } == 1)
    // The phone goes.
    phone.drop()
    try await wait("the phone's is over") { await office.status.calls == 0 }
    #expect(phone.opened.withLock { $0 } == 0)
    #expect(await office.guestCall(of: 7) == nil)
    let sessions = try await office.sessions(9, caller("anna"))
    #expect(sessions.count == 1 && sessions.first?.context == "page")
    await office.finish()
  }

  @Test func `a phone that does not talk is told so`() async throws {
    let office = try office()
    _ = try await office.agree(false, caller("bert"))
    // Nor does one have another's microphone, or one of its own by a name that it cannot know.
    for (name, page) in [("bert", "secret"), ("bert", ""), ("anna", "guess")] {
      _ = try await office.agree(false, caller(name))
      let words = await refusal {
        _ = try await office.call(caller(name), isSpoken: true, guest: page)
      }
      #expect(words.contains("this phone does not talk"))
    }
    await office.finish()
  }

  @Test func `on a shared station everybody agrees for themselves, and sees their own`()
    async throws
  {
    let office = try office()
    let (anna, bert) = (caller("anna"), caller("bert"))
    #expect(try await office.agree(true, anna).choice == "keep")
    #expect(try await office.consent(bert).choice == "none")
    #expect(try await office.consent(bert).mayAgree)
    let words = await refusal { _ = try await office.turn("Hello?", in: nil, bert) }
    #expect(words.contains("nobody agreed yet"))
    let session = try await office.turn("How far is it?", in: nil, anna)
    #expect(session.turns?.map(\.text) == ["How far is it?", "It is three miles."])
    // What is typed next is of the same call, until it is over.
    #expect(try await office.turn("And back?", in: nil, anna).id == session.id)
    try await office.end(session.id, anna)
    #expect(try await office.turn("And then?", in: nil, anna).id != session.id)
    try await wait("is kept") { try await office.sessions(9, anna).count == 2 }
    #expect(try await office.sessions(9, bert).isEmpty)
    let other = await refusal { _ = try await office.session(session.id, bert) }
    #expect(other.contains("there is no such session"))
    await office.finish()
  }

  @Test func `where all share one agreement it is the operator's`() async throws {
    let office = try office(isShared: false)
    let (talker, owner) = (caller("anna"), caller("bert", .operate))
    #expect(try await office.consent(talker).mayAgree == false)
    let refused: [() async throws -> Void] = [
      { _ = try await office.agree(true, talker) }, { _ = try await office.sessions(9, talker) },
      { _ = try await office.session("x", talker) }, { _ = try await office.delete(nil, talker) },
    ]
    for body in refused { #expect(await refusal(body).contains("the right operate")) }
    #expect(try await office.agree(true, owner).words == "Agreed, kept.")
    // Who may talk asks, and another phone's typing is another call.
    let first = try await office.turn("How far is it?", in: nil, talker).id
    #expect(try await office.turn("How far is it?", in: nil, owner).id != first)
    await office.finish()
  }

  @Test func `nobody has a part in another's call but who operates, nor once signed out`()
    async throws
  {
    let office = try office(isShared: false)
    let (anna, bert, owner) = (caller("anna"), caller("bert"), caller("carl", .operate))
    _ = try await office.agree(false, owner)
    let session = try await office.call(anna, isSpoken: true, guest: "secret").id
    try await wait("listens") { await office.guestCall(of: 7)?.state == "listening" }
    let asked = await refusal {
      _ = try await office.turn("What did I say?", in: session, bert)
    }
    #expect(asked.contains("this call is over"))
    #expect(await refusal { try await office.end(session, bert) }.contains("this call is over"))
    #expect(await refusal { try await office.end(nil, bert) }.contains("this call is over"))
    // The station's own call is anybody's who may talk, as its key is.
    let own = try await office.call(anna, isSpoken: true).id
    try await office.end(own, bert)
    try await office.end(session, owner)
    // Nothing goes on with the rights of who is signed out.
    let typed = try await office.turn("How far is it?", in: nil, anna).id
    await office.signedOut(["bert", "anna"])
    #expect(
      await refusal { _ = try await office.turn("And back?", in: typed, owner) }
        .contains("this call is over"))
    try await wait("both are over") { await office.status.calls == 0 }
    await office.finish()
  }

  @Test func `one phone does not take all calls, nor all phones the station's`() async throws {
    let office = try office(isShared: false)
    _ = try await office.agree(false, AssistantCaller())
    for name in ["anna", "anna", "bert"] {
      _ = try await office.call(caller(name), isSpoken: false)
    }
    for name in ["anna", "bert", "carl"] {
      let words = await refusal { _ = try await office.call(caller(name), isSpoken: false) }
      #expect(words.contains("too many calls"))
    }
    _ = try await office.call(AssistantCaller(), isSpoken: false)
    let words = await refusal { _ = try await office.call(AssistantCaller(), isSpoken: false) }
    #expect(words.contains("too many calls"))
    await office.finish()
  }

  /// What the sessions' files have, whatever it is.
  private func disk() -> String {
    ["", "-wal", "-shm"].map { folder.text(of: "sessions.db" + $0) }.joined()
  }

  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `an agreement that is taken back in a call leaves no trace of it, nor of its title`(
    isEnded: Bool
  ) async throws {
    let office = try office()
    let (anna, bert) = (caller("anna"), caller("bert"))
    for caller in [anna, bert] { _ = try await office.agree(true, caller) }
    let session = try await office.turn("Where is the pelican?", in: nil, anna).id
    let other = try await office.turn("How far is it?", in: nil, bert).id
    try await wait("is kept") {
      try await office.sessions(9, anna).count + office.sessions(9, bert).count == 2
    }
    #expect(disk().contains("pelican"))
    let asked = model.requests.count
    model.stalls = true
    if isEnded {
      try await office.end(session, anna)
      try await wait("a title is asked for") { model.requests.count == asked + 1 }
    }
    #expect(try await office.agree(nil, anna).choice == "none")
    try await wait("it is over") { await office.status.calls == 1 }
    #expect(model.requests.count == asked + (isEnded ? 1 : 0))
    #expect(!disk().contains("pelican"))
    #expect(try await office.sessions(9, anna).isEmpty)
    // Another's goes on.
    model.stalls = false
    #expect(try await office.turn("And back?", in: nil, bert).id == other)
    await office.finish()
  }

  @Test func `what is deleted in a call, or kept no more, does not come back`() async throws {
    let office = try office()
    let anna = caller("anna")
    _ = try await office.agree(true, anna)
    let session = try await office.turn("Where is the pelican?", in: nil, anna).id
    try await wait("is kept") { try await office.sessions(9, anna).count == 1 }
    #expect(try await office.delete(session, anna) == 1)
    #expect(try await office.turn("And the heron?", in: nil, anna).id == session)
    try await office.end(session, anna)
    try await wait("it is over") { await office.status.calls == 0 }
    let next = try await office.turn("Where is the gannet?", in: nil, anna).id
    try await wait("is kept") { try await office.sessions(9, anna).count == 1 }
    _ = try await office.agree(false, anna)
    #expect(try await office.turn("And the dotterel?", in: nil, anna).id == next)
    try await office.end(next, anna)
    try await wait("it is over, too") { await office.status.calls == 0 }
    let disk = disk()
    for word in ["pelican", "heron", "dotterel"] { #expect(!disk.contains(word)) }
    #expect(disk.contains("gannet"))
    await office.finish()
  }

  @Test func `the station's key begins another call while the last has yet to get its title`()
    async throws
  {
    let office = try office()
    _ = try await office.agree(true, AssistantCaller())
    await office.pressed()
    try await wait("listens") { await office.status.state == "listening" }
    station.say(seconds: 0.8)
    try await wait("hears the answer") { station.isHearing }
    let asked = model.requests.count
    model.stalls = true
    await office.pressed()
    try await wait("a title is asked for") { model.requests.count == asked + 1 }
    #expect(await office.status.session == nil)
    await office.pressed()
    try await wait("listens again") { await office.status.state == "listening" }
    #expect(await office.status.calls == 2)
    await office.finish()
  }

  @Test(arguments: ["de", ""])
  func `the recogniser is told the language that is set`(language: String) async throws {
    let office = try office(language: language)
    _ = try await office.agree(false, AssistantCaller())
    _ = try await office.call(AssistantCaller(), isSpoken: true)
    try await wait("listens") { await office.status.state == "listening" }
    station.say(seconds: 0.8)
    try await wait("is asked") { speech.languages.withLock { $0 } == [language] }
    await office.finish()
  }
}
