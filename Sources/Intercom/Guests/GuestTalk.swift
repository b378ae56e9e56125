internal import Audio
internal import Synchronization

/// A guest's talk with somebody off the loop, as the assistant: what its browser sends, whatever its keys.
///
/// Unchecked because one thread at a time uses it, which holds the seat's lock.
final class GuestTalk: @unchecked Sendable {
  /// Of browsers.
  private static let sampleRate = 48_000
  /// A hole longer than that is another time line.
  private static let mostHoleFrames = sampleRate
  /// How much more than time passes may come at once (nanoseconds): what a stall of the network held up.
  private static let mostAhead: Int64 = 2_000_000_000
  private static let packetFrames = 480

  let link: EarLink
  private let decoder: OpusDecoder
  private var pcm = [Float](repeating: 0, count: OpusDecoder.maximumPacketFrames)
  private let silence = [Float](repeating: 0, count: packetFrames)
  /// Where the next frame belongs.
  private var next: UInt32?
  /// What may come now, whatever a browser says of its time: no more than time passes (nanoseconds).
  private var budget = mostAhead
  private var lastNanoseconds: Int64?

  init() throws(AudioError) {
    link = try EarLink(sampleRate: Self.sampleRate)
    decoder = try OpusDecoder()
  }

  /// Takes the first copy of a message of the browser, which came then.
  func hear(_ octets: [UInt8], arrivalNanoseconds arrival: Int64) {
    let bytes = unsafe octets.span.bytes
    guard let frame = GuestFrame(bytes) else { return }
    earn(until: arrival)
    let count = decode(frame.kind, bytes.extracting(GuestFrame.headerBytes...))
    let hole = next.map { Int(Int32(truncatingIfNeeded: frame.timestamp &- $0)) } ?? 0
    next = frame.timestamp &+ UInt32(count)
    if (1...Self.mostHoleFrames).contains(hole) { pass(frames: spend(hole)) }
    guard spend(count) == count else { return }
    let said = pcm
    link.microphone.write(said.span.extracting(..<count))
  }

  private func earn(until arrival: Int64) {
    let passed = max(0, arrival - (lastNanoseconds ?? arrival))
    lastNanoseconds = arrival
    // A browser's clock may be a little faster.
    budget = min(Self.mostAhead, budget + passed + passed / 500)
  }

  /// - Returns: how many of these frames may come.
  private func spend(_ frames: Int) -> Int {
    let affordable = Int(budget * Int64(Self.sampleRate) / 1_000_000_000)
    let count = min(frames, affordable)
    budget -= Int64(count) * 1_000_000_000 / Int64(Self.sampleRate)
    return count
  }

  /// Nothing was sent for so long: nobody talked, or it was lost.
  private func pass(frames: Int) {
    let silence = silence
    var rest = frames
    while rest > 0 {
      link.microphone.write(silence.span.extracting(..<min(rest, silence.count)))
      rest -= silence.count
    }
  }

  /// - Returns: the frames that are in `pcm` then.
  private func decode(_ kind: GuestFrame.Kind, _ payload: RawSpan) -> Int {
    // Nobody talks.
    guard payload.byteCount > 1 else {
      for index in 0..<Self.packetFrames { pcm[index] = 0 }
      return Self.packetFrames
    }
    switch kind {
    case .opus:
      return max(0, Self.decode(payload, by: decoder, into: &pcm))
    case .pcm:
      let count = payload.byteCount / 2
      for index in 0..<count {
        let sample = unsafe payload.unsafeLoadUnaligned(fromByteOffset: 2 * index, as: Int16.self)
        pcm[index] = Float(Int16(littleEndian: sample)) / 32_768
      }
      return count
    }
  }
}

extension GuestTalk {
  private static func decode(
    _ payload: RawSpan, by decoder: OpusDecoder, into pcm: inout [Float]
  ) -> Int {
    var span = pcm.mutableSpan
    return decoder.decode(payload, into: &span)
  }
}

extension GuestSeat {
  /// Lets somebody off the loop hear the guest's browser, whatever its keys, and speak in its ear alone.
  ///
  /// Who did before does no more. Of a guest that has gone, what is returned is over.
  public func openEar() throws(IntercomError) -> EarLink {
    let talk: GuestTalk
    do throws(AudioError) { talk = try GuestTalk() } catch { throw .audio(error) }
    let unwanted = place.withLock { place -> EarLink? in
      guard !place.isGone else { return talk.link }
      defer { place.talk = talk }
      return place.talk?.link
    }
    unwanted?.end()
    guard unwanted !== talk.link else { return talk.link }
    outlet?.say(talk.link)
    // It went just then.
    if talk.link.isOver { outlet?.end(talk.link) }
    return talk.link
  }

  /// Ends that, if it is still so.
  public func closeEar(_ link: EarLink) {
    place.withLock { place in
      if place.talk?.link === link { place.talk = nil }
    }
    link.end()
    outlet?.end(link)
  }

  /// Ends it, whoever it is: the guest has gone, and nobody opens one any more.
  func closeEar() {
    let last = place.withLock { place in
      place.isGone = true
      return place.talk?.link
    }
    if let last { closeEar(last) }
  }
}
