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
  private static let packetFrames = 480

  let link: EarLink
  private let decoder: OpusDecoder
  private var pcm = [Float](repeating: 0, count: OpusDecoder.maximumPacketFrames)
  private let silence = [Float](repeating: 0, count: packetFrames)
  /// Where the next frame belongs.
  private var next: UInt32?

  init() throws(AudioError) {
    link = try EarLink(sampleRate: Self.sampleRate)
    decoder = try OpusDecoder()
  }

  /// Takes the first copy of a message of the browser.
  func hear(_ octets: [UInt8]) {
    let bytes = unsafe octets.span.bytes
    guard let frame = GuestFrame(bytes) else { return }
    let count = decode(frame.kind, bytes.extracting(GuestFrame.headerBytes...))
    let hole = next.map { Int(Int32(truncatingIfNeeded: frame.timestamp &- $0)) } ?? 0
    if (1...Self.mostHoleFrames).contains(hole) { pass(frames: hole) }
    let said = pcm
    link.microphone.write(said.span.extracting(..<count))
    next = frame.timestamp &+ UInt32(count)
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
  /// Lets somebody off the loop hear the guest's browser, whatever its keys, and speak in its ear alone; who did before
  /// does no more.
  public func openEar() throws(IntercomError) -> EarLink {
    let talk: GuestTalk
    do throws(AudioError) { talk = try GuestTalk() } catch { throw .audio(error) }
    let former = self.talk.withLock { one in
      defer { one = talk }
      return one?.link
    }
    former?.end()
    outlet?.say(talk.link)
    return talk.link
  }

  /// Ends that, if it is still so.
  public func closeEar(_ link: EarLink) {
    let isLast = talk.withLock { talk in
      guard talk?.link === link else { return false }
      talk = nil
      return true
    }
    if isLast { outlet?.say(nil) }
    link.end()
  }

  /// Ends it, whoever it is: the guest has gone.
  func closeEar() {
    guard let link = talk.withLock({ $0?.link }) else { return }
    closeEar(link)
  }
}
