import Testing

@testable import Speech

/// Requests and answers of services, in virtual time.
@Suite struct SpeechCallTests {
  private static let second: Int64 = 1_000_000_000

  /// What a call sent, as events.
  private func sent(_ call: inout SpeechCall) throws -> [WyomingEvent] {
    var decoder = WyomingDecoder()
    decoder.append(call.takeOutgoing())
    var events: [WyomingEvent] = []
    while let event = try decoder.next() { events.append(event) }
    return events
  }

  /// A call whose service answers with these once it is asked.
  private func news(
    _ request: SpeechRequest, _ answers: [WyomingEvent], thenCloses: Bool = false
  ) -> [SpeechNews] {
    var call = SpeechCall(request, nowNanoseconds: 0)
    call.connected(nowNanoseconds: 1)
    call.finishSound(nowNanoseconds: 2)
    for answer in answers { call.receive(answer.octets, nowNanoseconds: 3) }
    if thenCloses { call.closed() }
    return call.takeNews()
  }

  private func text(_ type: String, _ text: String, unstable: String? = nil) -> WyomingEvent {
    var data: [String: JSONValue] = ["text": .string(text)]
    if let unstable { data["unstable"] = .string(unstable) }
    return WyomingEvent(type, data)
  }

  @Test func `speech is announced, sent in blocks, ended, and its text told`() throws {
    var call = SpeechCall(
      .recognise(language: "en", before: "and then"), nowNanoseconds: 0)
    call.append(sound: [1, 2])
    #expect(try sent(&call).isEmpty)
    call.connected(nowNanoseconds: 1)
    call.append(sound: [3, 4])
    call.finishSound(nowNanoseconds: 2)
    call.append(sound: [5, 6])
    let events = try sent(&call)
    #expect(
      events.map(\.type) == [
        "transcribe", "audio-start", "audio-chunk", "audio-chunk", "audio-stop",
      ])
    #expect(events[0].data["language"] == .string("en"))
    #expect(events[0].data["context"] == .object(["before": .string("and then")]))
    #expect(events[1].data == SoundFormat.speech.data)
    #expect(events[2].payload == [1, 2] && events[3].payload == [3, 4])
    call.receive(text("transcript", " Hello.").octets, nowNanoseconds: 3)
    #expect(call.takeNews() == [.text(" Hello.", language: nil, confidence: nil), .done])
    #expect(call.isOver && call.deadlineNanoseconds == .max)
  }

  @Test func `more speech than is kept before the connection fails the call, and is not cut`() {
    var call = SpeechCall(.recognise(language: nil), nowNanoseconds: 0)
    let second = [UInt8](repeating: 1, count: 32_000)
    for _ in 0..<3 { call.append(sound: second) }
    #expect(call.takeNews().isEmpty)
    call.append(sound: [1, 2])
    #expect(call.takeNews() == [.failed(.behind)] && call.isOver)
    call.connected(nowNanoseconds: 1)
    #expect(call.takeOutgoing().isEmpty)
  }

  @Test func `a service that streams tells words before the end`() {
    let news = news(
      .recognise(language: nil),
      [
        WyomingEvent("transcript-start", ["language": .string("de")]),
        text("transcript-chunk", "guten", unstable: " tack"), text("transcript-chunk", " Tag"),
        text("transcript", "guten Tag"), WyomingEvent("transcript-stop"),
      ])
    #expect(
      news == [
        .partial(stable: "guten", unstable: " tack"), .partial(stable: "guten Tag", unstable: ""),
        .text("guten Tag", language: "de", confidence: nil), .done,
      ])
  }

  @Test(arguments: [true, false])
  func `what was streamed is the text where the whole is never told`(closes: Bool) {
    let stop = closes ? [] : [WyomingEvent("transcript-stop")]
    let news = news(
      .recognise(language: nil),
      [text("transcript-chunk", "one"), text("transcript-chunk", " two")] + stop,
      thenCloses: closes)
    #expect(news.suffix(2) == [.text("one two", language: nil, confidence: nil), .done])
  }

  @Test func `a text becomes sound in one form`() throws {
    let form = SoundFormat(rate: 22_050, channels: 1)
    var call = SpeechCall(.speak(text: "Hi", voice: "anna"), nowNanoseconds: 0)
    call.connected(nowNanoseconds: 1)
    let asked = try #require(try sent(&call).first)
    #expect(asked.data["voice"]?["name"] == .string("anna"))
    let chunk = WyomingEvent("audio-chunk", form.data, payload: [1, 2])
    for event in [WyomingEvent("audio-start", form.data), chunk, chunk, WyomingEvent("audio-stop")]
    {
      call.receive(event.octets, nowNanoseconds: 2)
    }
    #expect(
      call.takeNews() == [.soundBegins(form), .sound([1, 2]), .sound([1, 2]), .done])
  }

  @Test func `waking goes on after the first word`() {
    let detection = WyomingEvent("detection", ["name": .string("hey_jarvis")])
    var call = SpeechCall(.wake(words: ["hey_jarvis"]), nowNanoseconds: 0)
    call.connected(nowNanoseconds: 1)
    for _ in 0..<2 { call.receive(detection.octets, nowNanoseconds: 2) }
    #expect(call.takeNews() == [.woke(word: "hey_jarvis"), .woke(word: "hey_jarvis")])
    #expect(!call.isOver && call.deadlineNanoseconds == .max)
  }

  @Test func `what a service offers is read, whatever else it says`() throws {
    let voice: JSONValue = .object([
      "name": .string("anna"), "languages": .array([.string("de")]), "speakers": .null,
    ])
    let info = WyomingEvent(
      "info",
      [
        "asr": .array([.object(["supports_transcript_streaming": .boolean(true)])]),
        "tts": .array([.object(["voices": .array([voice, .object(["name": .integer(5)])])])]),
        "wake": .string("none"),
      ])
    let first = try #require(news(.describe, [info]).first)
    guard case .offer(let offer) = first else {
      Issue.record("no offer but \(first)")
      return
    }
    #expect(offer.recognises && offer.streamsText && offer.speaks && !offer.wakes)
    #expect(offer.voices == [SpeechOffer.Choice(name: "anna", languages: ["de"])])
  }

  @Test func `each state has its time, and each event of an answer renews it`() {
    var call = SpeechCall(.recognise(language: nil), nowNanoseconds: 0)
    #expect(call.deadlineNanoseconds == 3 * Self.second)
    call.connected(nowNanoseconds: Self.second)
    #expect(call.deadlineNanoseconds == .max)
    call.finishSound(nowNanoseconds: 600 * Self.second)
    call.receive(text("transcript-chunk", "a").octets, nowNanoseconds: 620 * Self.second)
    call.tick(nowNanoseconds: 649 * Self.second)
    #expect(!call.isOver)
    call.tick(nowNanoseconds: 650 * Self.second)
    #expect(call.takeNews().last == .failed(.late))
    var silent = SpeechCall(.describe, nowNanoseconds: 0)
    silent.tick(nowNanoseconds: 3 * Self.second)
    #expect(silent.takeNews() == [.failed(.unreachable)])
  }

  @Test func `a service that lies is refused by what it did`() {
    let form = SoundFormat(rate: 16_000, channels: 1)
    let long = String(repeating: "a", count: SpeechLimits.textBytes)
    let recognise = SpeechRequest.recognise(language: nil)
    let cases: [(SpeechRequest, [WyomingEvent], SpeechFault)] = [
      (recognise, [WyomingEvent("transcript")], .malformed),
      (recognise, [WyomingEvent("transcript", ["text": .integer(5)])], .malformed),
      (recognise, [text("transcript", long + "a")], .oversized),
      (recognise, [text("transcript-chunk", long), text("transcript-chunk", "a")], .oversized),
      (recognise, [WyomingEvent("error", ["text": .string("no model")])], .refused),
      (
        recognise, Array(repeating: WyomingEvent("nothing"), count: SpeechLimits.idleEvents + 1),
        .oversized
      ),
      (
        .speak(text: "a", voice: nil), [WyomingEvent("audio-chunk", payload: [1, 2])], .malformed
      ),
      (
        .speak(text: "a", voice: nil), [WyomingEvent("audio-chunk", form.data, payload: [1])],
        .malformed
      ),
      (
        .speak(text: "a", voice: nil),
        [
          WyomingEvent("audio-start", form.data),
          WyomingEvent("audio-start", SoundFormat(rate: 8000, channels: 1).data),
        ], .unexpected
      ),
      (
        .speak(text: "a", voice: nil),
        Array(
          repeating: WyomingEvent(
            "audio-chunk", form.data, payload: [UInt8](repeating: 0, count: 1 << 20)),
          count: 28), .oversized
      ),
    ]
    for (request, answers, fault) in cases {
      #expect(news(request, answers).last == .failed(fault))
    }
  }

  @Test func `after its end nothing comes of a call`() {
    var call = SpeechCall(.recognise(language: nil), nowNanoseconds: 0)
    call.connected(nowNanoseconds: 1)
    call.closed()
    #expect(call.takeNews() == [.failed(.gone)])
    call.receive(text("transcript", "a").octets, nowNanoseconds: 2)
    call.append(sound: [1, 2])
    call.stop()
    call.fellBehind()
    #expect(call.takeNews().isEmpty && call.takeOutgoing().isEmpty)
  }

  @Test func `a service that failed is left alone ever longer, up to half a minute`() {
    var pace = RetryPace()
    var now: Int64 = 0
    var waits: [Int64] = []
    for _ in 0..<7 {
      #expect(pace.isOpen(atNanoseconds: now))
      pace.noteFailure(atNanoseconds: now)
      waits.append((pace.deadlineNanoseconds - now) / Self.second)
      now = pace.deadlineNanoseconds
    }
    #expect(waits == [1, 2, 4, 8, 16, 30, 30])
    pace.noteSuccess()
    #expect(pace.isOpen(atNanoseconds: 0))
  }
}

/// Where services may be.
@Suite struct ServiceAddressTests {
  @Test(arguments: [
    "tcp://127.0.0.1:10300", "tcp://localhost:1", "tcp://[::1]:65535", "unix:///run/asr.sock",
  ])
  func `this machine is always allowed`(text: String) throws {
    let address = try #require(ServiceAddress(text))
    #expect(address.description == text)
    #expect(address.isAllowed(beside: []))
  }

  @Test(arguments: [
    "tcp://192.168.1.5:10300", "tcp://127.example.org:1", "tcp://127.0.0.256:1",
    "tcp://[fe80::1%eth0]:5", "tcp://127.0.0.1.example.org:2",
  ])
  func `another machine only where the user listed it`(text: String) throws {
    let address = try #require(ServiceAddress(text))
    guard case .tcp(let host, _) = address else { return }
    #expect(!address.isAllowed(beside: []) && !address.isAllowed(beside: ["elsewhere"]))
    #expect(address.isAllowed(beside: [host.uppercased()]))
  }

  @Test(arguments: [
    "", "127.0.0.1:10300", "http://a:1", "tcp://:1", "tcp://a", "tcp://a:0", "tcp://a:65536",
    "tcp://a b:1", "tcp://::1:5", "tcp://[a]:5", "unix://relative", "unix:///", "tcp://a/b:1",
  ])
  func `what is no address is none`(text: String) {
    #expect(ServiceAddress(text) == nil)
  }
}
