import Logging
import Messages
import StatusSchema
import Synchronization
import TestKit
import Testing
import WebService

@testable import NodeDaemon

/// The mirror of voice messages against a service that fails in all the ways that services do.
@Suite struct UploadMirrorTests {
  /// A service as docs/rest.md describes it, and its network.
  final class Service: Sendable {
    struct State {
      var random: SplitMix64
      /// What is done to the next requests, by their order.
      var script: [Int] = []
      var faultChance = 0.0
      var uploads: [String: [UInt8]?] = [:]
      var sentUploads: [String: Int] = [:]
      var messages: [[UInt8]] = []
      var requests: [(method: String, target: String, headers: [String])] = []
      var count = 0
    }

    let state: Mutex<State>

    init(seed: UInt64 = 1, faultChance: Double = 0, script: [Int] = []) {
      state = Mutex(
        State(
          random: SplitMix64(seed: seed), script: script, faultChance: faultChance))
    }

    func ask(_ request: WebRequest) throws(WebFault) -> WebAnswer {
      try state.withLock { state throws(WebFault) in
        state.requests.append(
          (request.method.rawValue, request.target, request.headers.map { $0.name }))
        if !state.script.isEmpty {
          let status = state.script.removeFirst()
          if status == 0 { throw .cut }
          if status > 0 { return WebAnswer(status: status, content: []) }
        }
        let chance = Double.random(in: 0..<1, using: &state.random)
        if chance < state.faultChance / 3 { throw .late }
        if chance < state.faultChance * 2 / 3 { return WebAnswer(status: 503, content: []) }
        let answer = Self.answer(request, &state)
        // It was done, and nobody hears of it.
        if chance < state.faultChance { throw .cut }
        return answer
      }
    }

    private static func answer(_ request: WebRequest, _ state: inout State) -> WebAnswer {
      func json(_ text: String, _ status: Int = 200) -> WebAnswer {
        WebAnswer(status: status, content: Array(text.utf8))
      }
      let text = String(decoding: request.content, as: UTF8.self)
      if request.method == .put {
        let path = request.place.path + request.target
        guard state.uploads[path] != nil else { return json("{}", 404) }
        state.uploads[path] = .some(request.content)
        return json("")
      }
      if request.target.hasSuffix("/upload-url") {
        state.count += 1
        let path = "/uploads/\(state.count)?signature=x"
        state.uploads[path] = .some(nil)
        return json(
          #"{"url":"http://127.0.0.1:9\#(path)","headers":{"Content-Type":"audio/ogg"},"expires_at":"x"}"#
        )
      }
      guard let id = state.uploads.keys.first(where: { text.contains("http://127.0.0.1:9\($0)\"") })
      else { return json("{}", 404) }
      if state.sentUploads[id] != nil { return json("{}", 200) }
      guard let file = state.uploads[id] ?? nil else { return json("{}", 409) }
      state.sentUploads[id] = state.messages.count
      state.messages.append(file)
      return json("{}", 201)
    }
  }

  /// A node's journal and disk, and whether it was killed.
  final class Node: Sendable {
    struct State {
      var files: [Int64: [UInt8]] = [:]
      /// Those that came from a service.
      var mirrored: Set<Int64> = []
      var kept: UploadMirror.Record?
      var isKilled = false
      var random = SplitMix64(seed: 1)
      var killChance = 0.0
      /// How often the journal cannot be read yet.
      var unread = 0

      mutating func look() throws(JournalError) {
        guard unread > 0 else { return }
        unread -= 1
        throw JournalError("the disk cannot be read; see its cables")
      }
    }

    let state = Mutex(State())
    let service: Service

    init(_ service: Service, messages: Int = 0) {
      self.service = service
      for number in 0..<messages { add(Int64(number + 1)) }
    }

    func add(_ number: Int64) {
      state.withLock { $0.files[number] = [UInt8](repeating: UInt8(number), count: 8) }
    }

    func mirror(from first: Int64? = 0) throws -> UploadMirror {
      let place = try WebPlace("http://127.0.0.1:9/api/v1")
      if let first, state.withLock({ $0.kept }) == nil {
        state.withLock { $0.kept = UploadMirror.Record(service: place.text, done: first) }
      }
      state.withLock { $0.isKilled = false }
      return UploadMirror(
        to: place, token: "secret",
        UploadMirror.Surroundings(
          newest: { self.state.withLock { $0.files.keys.max() ?? 0 } },
          next: { (after) async throws(JournalError) in
            let next = try self.state.withLock { state throws(JournalError) in
              try state.look()
              return state.files.keys.filter { $0 > after }.min()
            }
            return UploadMirror.Look(
              candidate: next.map {
                UploadMirror.Candidate(number: $0, remote: "group:crew", seconds: 1.5)
              })
          },
          sound: { (number) async throws(JournalError) in
            try self.state.withLock { state throws(JournalError) in
              try state.look()
              return state.mirrored.contains(number)
                ? .mirrored : state.files[number].map { .file($0) } ?? .missing
            }
          },
          kept: state.withLock { $0.kept },
          keep: { record in
            self.state.withLock { state in
              guard !state.isKilled else { return }
              state.kept = record
              let chance = Double.random(in: 0..<1, using: &state.random)
              if chance < state.killChance { state.isKilled = true }
            }
          },
          ask: { (request) async throws(WebFault) in
            // Who was killed asks nobody.
            if self.state.withLock({ $0.isKilled }) { throw .cut }
            return try self.service.ask(request)
          },
          pause: { _ in }),
        log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    var isKilled: Bool { state.withLock { $0.isKilled } }
  }

  @Test func `three calls bring a message there, with what each is to have`() async throws {
    let service = Service()
    let mirror = try Node(service, messages: 1).mirror()
    for _ in 0..<3 { #expect(await mirror.step() == 0) }
    #expect(await mirror.step() > 60)
    let state = service.state.withLock { $0.messages }
    #expect(state == [[UInt8](repeating: 1, count: 8)])
    let requests = service.state.withLock { $0.requests }
    #expect(requests.map(\.method) == ["POST", "PUT", "POST"])
    #expect(requests[0].target == "/conversations/group%3Acrew/messages/audio/upload-url")
    #expect(requests[2].target == "/conversations/group%3Acrew/messages/audio")
    #expect(requests[0].headers.contains("Authorization"))
    // The address for the sound may be anybody's: the token is not for it.
    #expect(requests[1].headers == ["Content-Type"])
    #expect(await mirror.status.sent == 1)
  }

  @Test func `what was there before the mirror stays here`() async throws {
    let service = Service()
    let node = Node(service, messages: 5)
    let mirror = try node.mirror(from: nil)
    let run = Task { await mirror.run(changed: {}) }
    while node.state.withLock({ $0.kept?.done }) != 5 { await Task.yield() }
    run.cancel()
    await run.value
    node.add(6)
    for _ in 0..<3 { _ = await mirror.step() }
    #expect(service.state.withLock { $0.messages } == [[UInt8](repeating: 6, count: 8)])
  }

  @Test func `what came from a service is passed over, and nobody is troubled with it`()
    async throws
  {
    let service = Service()
    let node = Node(service, messages: 3)
    node.state.withLock { $0.mirrored = [1, 2] }
    let mirror = try node.mirror()
    for _ in 0..<5 { #expect(await mirror.step() == 0) }
    #expect(await mirror.step() > 60)
    #expect(service.state.withLock { $0.messages } == [[UInt8](repeating: 3, count: 8)])
    #expect(service.state.withLock { $0.requests.count } == 3)
    let status = await mirror.status
    #expect(status.sent == 1 && status.refused == 0 && status.problem == nil)
    #expect(node.state.withLock { $0.kept?.done } == 3)
    #expect(UploadMirror.Sound(nil) == .missing && UploadMirror.Sound([1, 2]) == .missing)
  }

  /// What the service says to a call, the words that are told, and whether the message is passed over.
  static let refusals: [(script: [Int], words: String, isOver: Bool)] = [
    ([413], "too large for the service (413)", true),
    ([-1, -1, 422], "cannot read it (422)", true),
    ([-1, -1, 415], "cannot read it (415)", true), ([400], "cannot read it (400)", true),
    ([401], "does not know our token (401); see upload-token-file", false),
    ([403], "does not permit it (403)", false), ([404], "no conversation group:crew (404)", false),
    ([-1, -1, 403], "does not permit it (403)", false), ([429], "too often (429)", false),
    ([507], "no room left (507)", false), ([500], "failed (500)", false),
    ([0], "cannot be reached: it closed the connection", false),
    ([-1, 403, -1, 403, -1, 403], "does not take the sound (403)", false),
    ([-1, -1, 0, 404], "lost its answer", true),
  ]

  @Test(arguments: refusals)
  func `failures are told in words, and what can never be is passed over`(
    script: [Int], words: String, isOver: Bool
  ) async throws {
    let service = Service(script: script)
    let node = Node(service, messages: 2)
    let mirror = try node.mirror()
    for _ in script { _ = await mirror.step() }
    let problem = await mirror.status.problem
    #expect(problem?.contains(words) == true, "\(problem ?? "nothing")")
    #expect(await mirror.status.refused == (isOver ? 1 : 0))
    // Whatever it was, the next ones arrive once it is over.
    for _ in 0..<8 { _ = await mirror.step() }
    let last = [UInt8](repeating: 2, count: 8)
    #expect(service.state.withLock { $0.messages.last } == last)
    #expect(await mirror.status.problem == nil)
  }

  @Test func `a journal that cannot be read is told and tried again, and nothing is passed over`()
    async throws
  {
    let service = Service()
    let node = Node(service, messages: 2)
    let mirror = try node.mirror()
    for fault in 0..<3 {
      // Before a message is known, and at two places of its way.
      for _ in 0..<fault { #expect(await mirror.step() == 0) }
      node.state.withLock { $0.unread = 3 }
      var pauses: [Double] = []
      for _ in 0..<3 { pauses.append(await mirror.step()) }
      #expect(pauses == [2, 4, 8])
      let problem = await mirror.status.problem
      #expect(problem?.contains("the disk cannot be read") == true, "\(problem ?? "nothing")")
    }
    while await mirror.step() == 0 {}
    let files = (1...2).map { [UInt8](repeating: $0, count: 8) }
    #expect(service.state.withLock { $0.messages } == files)
    let status = await mirror.status
    #expect(status.refused == 0 && status.sent == 2 && status.problem == nil)
  }

  @Test(arguments: Seeds.first(60))
  func `each message is there once and in order, whatever fails, and whenever the node is killed`(
    seed: UInt64
  ) async throws {
    let service = Service(seed: seed, faultChance: 0.4)
    let node = Node(service)
    node.state.withLock { state in
      (state.random, state.killChance) = (SplitMix64(seed: seed), 0.1)
    }
    var mirror = try node.mirror()
    for number in 1...12 as ClosedRange<Int64> {
      node.add(number)
      for _ in 0..<9 {
        _ = await mirror.step()
        if node.isKilled { mirror = try node.mirror() }
      }
    }
    service.state.withLock { $0.faultChance = 0 }
    node.state.withLock { $0.killChance = 0 }
    for _ in 0..<60 { _ = await mirror.step() }
    let expected = (1...12).map { [UInt8](repeating: $0, count: 8) }
    #expect(service.state.withLock { $0.messages } == expected)
  }

  @Test func `addresses that would undo the safety of the way there are not used`() async throws {
    let clip = MirrorTask.Clip(file: [1], seconds: 1)
    let base = try WebPlace("https://box.example.org/api/v1")
    for url in [
      "http://box.example.org/up", "ftp://box.example.org/up", "https://a b/", "https://h/?a\r\nb",
      "https://h/" + String(repeating: "x", count: 5000), "",
    ] {
      var task = MirrorTask(1, of: "x")
      let answer = WebAnswer(
        status: 200, content: Array(#"{"url":"\#(url)","headers":{"Host":"evil"}}"#.utf8))
      _ = task.request(clip, at: base, token: "t")
      let outcome = task.take(.success(answer))
      #expect(outcome != .next || task.request(clip, at: base, token: "t") == nil, "\(url)")
    }
    var task = MirrorTask(1, of: "x")
    _ = task.request(clip, at: base, token: "t")
    _ = task.take(
      .success(
        WebAnswer(
          status: 200,
          content: Array(
            #"{"url":"https://s3.example.org/b/k?X=1","headers":{"Host":"e","X-A":"1\r\n2"}}"#.utf8)
        )))
    let request = task.request(clip, at: base, token: "t")
    let put = try #require(request)
    #expect(put.place.authority == "s3.example.org" && put.target == "?X=1")
    #expect(put.headers.isEmpty)
  }
}
