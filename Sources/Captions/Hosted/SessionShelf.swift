internal import Cryptography

/// A part of a hosted session, with what its host signed.
struct SessionPart {
  private(set) var bill: SessionBill
  /// Times in it are since the session began, not the part.
  var transcript: CaptionTranscript
  private var signatures: [UInt32: [UInt8]] = [:]
  private var digests: [UInt32: UInt64] = [:]
  /// Chunks that came from the host itself, whose signatures were not looked at yet.
  private var unproved: Set<UInt32> = []

  init(_ bill: SessionBill, beganNanoseconds: Int64) {
    self.bill = bill
    transcript = CaptionTranscript(
      key: bill.part, scope: bill.name, beganNanoseconds: beganNanoseconds)
    transcript.isLive = false
  }

  mutating func take(_ bill: SessionBill) { self.bill = bill }

  mutating func put(_ signed: SignedChunk, isProved: Bool) {
    let index = signed.chunk.index
    transcript.put(signed.chunk)
    signatures[index] = signed.signature
    digests[index] = Self.digest(signed.chunk.octets)
    if isProved { unproved.remove(index) } else { unproved.insert(index) }
  }

  /// With what its host signed; nil: there is none, or the signature is wrong, so that nobody else would take it.
  mutating func signed(_ index: UInt32) -> SignedChunk? {
    guard let chunk = transcript.chunks[index], let signature = signatures[index] else {
      return nil
    }
    let signed = SignedChunk(chunk: chunk, signature: signature)
    guard unproved.remove(index) != nil, !signed.isSaid(in: bill) else { return signed }
    signatures[index] = nil
    return nil
  }

  /// Of the chunks that somebody may read: who has the same has the same digest, whatever came first.
  func summary(_ isVisible: (CaptionChunk) -> Bool) -> (count: Int, digest: UInt64) {
    transcript.chunks.values.reduce(into: (0, 0)) { sum, chunk in
      guard isVisible(chunk) else { return }
      sum.0 += 1
      sum.1 ^= digests[chunk.index] ?? 0
    }
  }

  /// FNV-1a of 64 bits: it tells two versions from each other, and keeps nobody from lying, which helps nobody.
  private static func digest(_ octets: [UInt8]) -> UInt64 {
    octets.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

/// The parts of hosted sessions that a node holds, within bounds whatever others send.
struct SessionShelf {
  private(set) var parts: [CaptionSessionKey: SessionPart] = [:]
  private var totalBytes = 0

  /// The parts of a session, in the order of their hosts.
  func parts(of session: CaptionSessionKey) -> [SessionPart] {
    parts.values.filter { $0.bill.session == session }
      .sorted { $0.bill.precedes($1.bill) }
  }

  /// Every session that is known.
  var sessions: Set<CaptionSessionKey> { Set(parts.values.map(\.bill.session)) }

  /// When a session began, by this node's clock; nil: it is not known.
  func beganNanoseconds(_ session: CaptionSessionKey) -> Int64? {
    parts.values.lazy.filter { $0.bill.session == session }
      .map(\.transcript.beganNanoseconds).min()
  }

  /// Takes what is said of a part.
  ///
  /// - Parameters:
  ///   - kept: sessions that do not make room for others.
  /// - Returns: whether that is new, and what had to go for it.
  mutating func take(
    _ bill: SessionBill, beganNanoseconds began: Int64, kept: Set<CaptionSessionKey>
  ) throws(CaptionFault) -> (isNew: Bool, forgotten: [CaptionSessionKey]) {
    if let former = parts[bill.part]?.bill {
      // A host says one thing of a part, and then how it ended.
      guard former.session == bill.session else { throw .malformed }
      guard former.isReplaced(by: bill) else { return (false, []) }
      parts[bill.part]?.take(bill)
      return (true, [])
    }
    var forgotten: [CaptionSessionKey] = []
    let ofHost = parts.values.filter { $0.bill.part.captioner == bill.part.captioner }
    if ofHost.count >= CaptionLimits.partsPerHost {
      guard let key = oldest(of: ofHost, kept: kept), key < bill.part else { throw .full }
      forgotten.append(key)
    } else if parts.count >= CaptionLimits.parts {
      guard let key = oldest(of: Array(parts.values), kept: kept) else { throw .full }
      forgotten.append(key)
    }
    for key in forgotten { remove(key) }
    parts[bill.part] = SessionPart(
      bill, beganNanoseconds: beganNanoseconds(bill.session) ?? began)
    return (true, forgotten)
  }

  private func oldest(
    of parts: [SessionPart], kept: Set<CaptionSessionKey>
  ) -> CaptionSessionKey? {
    parts.filter { !kept.contains($0.bill.session) }.map(\.bill.part).min()
  }

  /// Whether the host of a part is here and goes on.
  mutating func setLive(_ isLive: Bool, _ part: CaptionSessionKey) {
    parts[part]?.transcript.isLive = isLive
  }

  /// The session began at the earliest that its host, or this node, knows.
  mutating func take(beganNanoseconds began: Int64, of part: CaptionSessionKey) {
    guard let isLive = parts[part]?.transcript.isLive else { return }
    parts[part]?.transcript.take(isLive: isLive, beganNanoseconds: began)
  }

  /// Takes a chunk of a part.
  ///
  /// - Parameter isProved: whether its signature is its host's; else the host itself sent it, and it is looked at when
  ///   somebody else is to have it.
  /// - Returns: whether that is new.
  mutating func take(
    _ signed: SignedChunk, of part: CaptionSessionKey, isProved: Bool
  ) throws(CaptionFault) -> Bool {
    guard let growth = try parts[part]?.transcript.growth(by: signed.chunk) else { return false }
    guard totalBytes + growth <= CaptionLimits.totalBytes else { throw .full }
    parts[part]?.put(signed, isProved: isProved)
    totalBytes += growth
    return true
  }

  /// A chunk with what its host signed; nil: it cannot be passed on.
  mutating func signed(_ index: UInt32, of part: CaptionSessionKey) -> SignedChunk? {
    parts[part]?.signed(index)
  }

  mutating func remove(_ key: CaptionSessionKey) {
    guard let part = parts.removeValue(forKey: key) else { return }
    totalBytes -= part.transcript.byteCount
  }

  /// A chunk of a part without words that hosts before wrote down too; nil: all of them.
  func shown(_ chunk: CaptionChunk, of key: CaptionSessionKey) -> CaptionChunk? {
    guard let session = parts[key]?.bill.session else { return nil }
    return DoubledWords.rest(
      of: chunk,
      after: parts(of: session).prefix { $0.bill.part != key }.map { ($0.transcript, 0) })
  }

  /// All parts of a session as one, what two hosts wrote down at once but once: the same at everybody who holds the
  /// same.
  func merged(_ session: CaptionSessionKey) -> CaptionTranscript? {
    let parts = parts(of: session)
    guard let last = parts.last, let began = beganNanoseconds(session) else { return nil }
    var merged = CaptionTranscript(
      key: session, scope: last.bill.name, beganNanoseconds: began)
    merged.isLive = parts.contains { $0.transcript.isLive }
    for (number, part) in parts.enumerated() {
      let before = parts[..<number].map { ($0.transcript, laterMilliseconds: Int64(0)) }
      for said in part.transcript.chunks.values {
        guard let chunk = DoubledWords.rest(of: said, after: before) else { continue }
        let index = UInt32(number * CaptionLimits.chunks) + chunk.index
        merged.put(chunk.moved(to: index, isFinal: part.transcript.isSettled(chunk)))
      }
    }
    return merged
  }
}
