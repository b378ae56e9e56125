internal import Captions
internal import Cryptography
internal import Intercom
internal import Lines
internal import Speech
internal import SpeechLink

/// Whom a captioner captions, and where.
struct CaptionScope: Sendable {
  /// The line; nil: whatever is heard.
  var line: LineName?
  /// Which private line that is; nil: none.
  var privateLine: PrivateLineID?
  /// The members; empty: all.
  var members: Set<NodeID> = []
  /// For people.
  var words: String
}

/// Whether what somebody says now is to be captioned.
enum CaptionPermit {
  /// It is, and read by those who are there.
  case given(CaptionTalker, Set<CaptionPlace>)
  /// They talk to nobody, as far as is known: of what comes, the end was for those whom they talked to before, and the
  /// beginning for those whom they are about to talk to.
  case unknown
  /// It is not: they refuse, or talk to others.
  case refused
}

/// What is said now, on its way through a recogniser into the desk of captions.
///
/// One utterance of a talker at a time, each a request of its own to the service; one that goes on for long is cut.
/// Sound is held until it is known that whoever speaks spoke to the same people meanwhile, so that no word goes
/// elsewhere. Owned by ``CaptionService``, and not thread-safe.
final class Captioner {
  /// Requests at a time: more talk at once than anybody can read.
  private static let mostUtterances = 16
  /// The recogniser hears a little before the voice was noticed.
  private static let prerollMilliseconds: Int64 = 400
  /// What was said earlier than so long ago is another matter.
  private static let connectedNanoseconds: Int64 = 30_000_000_000
  /// So many letters of it are told to the recogniser.
  private static let connectedLetters = 200
  private struct Utterance {
    let number: Int
    let line: SpeechLine
    let talker: CaptionTalker
    let places: Set<CaptionPlace>
    let beganNanoseconds: Int64
    /// What the service got.
    var length = UtteranceLength()
    /// What it may get once it is known whom that was for.
    var held: [UInt8] = []
    var isEnding = false
  }

  let scope: CaptionScope
  let ear: CaptionEar
  private let link: SpeechLink
  private let service: ServiceAddress
  private var pace = RetryPace()
  /// By talker, as ``CaptionEar`` names it.
  private var utterances: [String: Utterance] = [:]
  /// Who went on from something that was not to be captioned, or is already: nothing of before is in what follows.
  private var elsewhere: Set<String> = []
  private var lastNumber = 0
  /// What is open in the desk, by utterance.
  private var chunks: [Int: UInt32] = [:]
  private var underWay: [Int: Utterance] = [:]
  /// What each talker said last, to those who hear the next, and when that came.
  private var said: [NodeID: (words: String, of: Utterance, nanoseconds: Int64)] = [:]
  /// Why the last one failed, in words.
  private(set) var problem: String?

  init(_ scope: CaptionScope, _ ear: CaptionEar, _ link: SpeechLink, _ service: ServiceAddress) {
    (self.scope, self.ear, self.link, self.service) = (scope, ear, link, service)
  }

  /// Takes what came in.
  ///
  /// - Returns: what began: its number, and where its text comes from.
  func advance(
    nowNanoseconds now: Int64, permit: (String) -> CaptionPermit
  ) -> [(number: Int, line: SpeechLine)] {
    var begun: [(Int, SpeechLine)] = []
    for block in ear.take() {
      if utterances[block.talker] != nil {
        utterances[block.talker]?.isEnding = !block.isSpeaking
        if block.isSpeaking { utterances[block.talker]?.held += block.pcm }
        continue
      }
      guard block.isSpeaking else {
        elsewhere.remove(block.talker)
        continue
      }
      switch permit(block.talker) {
      case .unknown: break
      case .refused: elsewhere.insert(block.talker)
      case .given(let talker, let places):
        let isNew = !elsewhere.contains(block.talker)
        let before = isNew ? Self.prerollMilliseconds * 1_000_000 : 0
        guard var utterance = begin(talker, places, now - before) else { continue }
        // The block itself is in it.
        utterance.held = isNew ? ear.preroll(of: block.talker) : block.pcm
        utterances[block.talker] = utterance
        begun.append((utterance.number, utterance.line))
      }
    }
    return begun
  }

  /// Gives the service what was held, of those who still talk to the same people.
  ///
  /// To be called when it has just been looked at who talks to whom.
  func confirm(permit: (String) -> CaptionPermit) {
    for (talker, utterance) in utterances {
      var isSame = true
      switch permit(talker) {
      // Who hears it beside those of before does not read the rest.
      case .given(_, let places): isSame = places.isSuperset(of: utterance.places)
      case .unknown: break
      case .refused: isSame = false
      }
      if isSame { release(talker, utterance) }
      let isLong = utterances[talker]?.length.isDue == true
      if !isSame || isLong { elsewhere.insert(talker) }
      if !isSame || isLong || utterance.isEnding { finish(talker) }
    }
  }

  private func release(_ talker: String, _ utterance: Utterance) {
    guard !utterance.held.isEmpty else { return }
    utterance.line.append(sound: utterance.held)
    var utterance = utterance
    utterance.length.take(utterance.held)
    utterance.held = []
    utterances[talker] = utterance
    underWay[utterance.number] = utterance
  }

  private func begin(
    _ talker: CaptionTalker, _ places: Set<CaptionPlace>, _ began: Int64
  ) -> Utterance? {
    guard pace.isOpen(atNanoseconds: began), underWay.count < Self.mostUtterances else {
      return nil
    }
    do throws(SpeechLinkError) {
      lastNumber += 1
      let request = SpeechRequest.recognise(
        language: nil, before: words(before: began, of: talker, to: places))
      let utterance = Utterance(
        number: lastNumber, line: try link.call(request, at: service), talker: talker,
        places: places, beganNanoseconds: began)
      underWay[lastNumber] = utterance
      return utterance
    } catch {
      problem = "\(error)"
      return nil
    }
  }

  /// What a talker has just said to the same people: nobody reads a word of what was said to others.
  private func words(
    before now: Int64, of talker: CaptionTalker, to places: Set<CaptionPlace>
  ) -> String? {
    guard let last = said[talker.node], last.of.places == places,
      now - last.nanoseconds < Self.connectedNanoseconds
    else { return nil }
    return String(last.words.suffix(Self.connectedLetters))
  }

  private func finish(_ talker: String) {
    utterances.removeValue(forKey: talker)?.line.finishSound()
  }

  /// Whether the service works for it.
  var isListening: Bool { !underWay.isEmpty }

  /// Nothing more is heard of a node: what is known of what it says stays.
  func drop(_ node: NodeID) {
    said[node] = nil
    for (talker, utterance) in utterances where utterance.talker.node == node { finish(talker) }
    for (number, utterance) in underWay where utterance.talker.node == node {
      utterance.line.stop()
      (underWay[number], chunks[number]) = (nil, nil)
    }
  }

  /// Ends all.
  func stop() {
    for utterance in underWay.values { utterance.line.stop() }
    (utterances, underWay, chunks, said) = ([:], [:], [:], [:])
  }

  /// Takes what a service made of an utterance.
  ///
  /// - Parameter isLast: nothing more comes.
  func hear(
    _ news: [SpeechNews], of number: Int, isLast: Bool, into desk: inout some CaptionSink,
    nowNanoseconds now: Int64
  ) {
    for item in news {
      switch item {
      case .partial(let stable, let unstable):
        note(stable + unstable, of: number, now)
        put(stable + unstable, of: number, into: &desk)
      case .text(let text, let language, let confidence):
        pace.noteSuccess()
        problem = nil
        note(text, of: number, now)
        put(
          text, of: number, isFinal: true, language: language ?? "",
          confidence: confidence.map { UInt8(min(100, max(0, $0 * 100)).rounded()) }, into: &desk)
      case .failed(let fault) where underWay[number] != nil:
        pace.noteFailure(atNanoseconds: now)
        problem = "the recogniser at \(service): \(fault)"
      default: break
      }
    }
    guard isLast else { return }
    if let index = chunks.removeValue(forKey: number) { desk.settle(index) }
    underWay[number] = nil
    for (talker, utterance) in utterances where utterance.number == number {
      utterances[talker] = nil
      elsewhere.insert(talker)
    }
  }

  private func note(_ text: String, of number: Int, _ now: Int64) {
    guard let utterance = underWay[number], text.contains(where: { !$0.isWhitespace }),
      said[utterance.talker.node].map({ $0.of.number <= number }) ?? true
    else { return }
    said[utterance.talker.node] = (text, utterance, now)
  }

  private func put(
    _ text: String, of number: Int, isFinal: Bool = false, language: String = "",
    confidence: UInt8? = nil, into desk: inout some CaptionSink
  ) {
    guard let utterance = underWay[number] else { return }
    let words = CaptionWords(
      text, durationMilliseconds: UInt32(clamping: utterance.length.milliseconds),
      isFinal: isFinal, language: language, confidencePercent: confidence)
    if let index = chunks[number] {
      desk.update(index, words)
    } else if text.contains(where: { !$0.isWhitespace }) {
      chunks[number] = desk.open(
        utterance.talker, in: utterance.places, beganNanoseconds: utterance.beganNanoseconds, words)
    }
  }
}
