/// The state of an ``SRTPReceiver`` in one value: accepting a packet is one access to it.
struct SRTPReceiverState {
  private static let keyLimit = 3

  /// The newest first.
  private var keys: [SRTPHeardKey] = []
  private(set) var counters = SRTPCounters()

  /// Nothing but room for keys.
  init() { keys.reserveCapacity(Self.keyLimit + 1) }

  mutating func add(_ ciphers: SRTPKeySet) {
    guard !keys.contains(where: { $0.epoch == ciphers.epoch }) else { return }
    keys.insert(SRTPHeardKey(ciphers), at: 0)
    if keys.count > Self.keyLimit { keys.removeLast() }
  }

  mutating func dropOlderKeys() {
    if keys.count > 1 { keys.removeLast(keys.count - 1) }
  }

  mutating func unprotect(
    _ datagram: RawSpan, into plain: inout MutableRawSpan
  ) throws(CryptoError) -> Int {
    do throws(CryptoError) {
      let fields = try RTPFields(datagram, trailer: SRTPSender.overheadByteCount)
      let identifier = SRTPKeyIdentifier(datagram)
      let byteCount = try keys[place(of: identifier)].open(
        datagram, fields, identifier, into: &plain)
      counters.accepted += 1
      return byteCount
    } catch {
      counters.count(error)
      throw error
    }
  }

  mutating func unprotectControl(
    _ datagram: RawSpan, into plain: inout MutableRawSpan
  ) throws(CryptoError) -> Int {
    do throws(CryptoError) {
      let least = SRTPSender.controlHeaderByteCount + SRTPSender.controlOverheadByteCount
      guard datagram.byteCount >= least else { throw .datagram(.tooShort) }
      guard datagram.octet(at: 0) >> 6 == 2 else { throw .datagram(.malformed) }
      let identifier = SRTPKeyIdentifier(datagram)
      let byteCount = try keys[place(of: identifier)].openControl(
        datagram, identifier, into: &plain)
      counters.accepted += 1
      return byteCount
    } catch {
      counters.count(error)
      throw error
    }
  }

  /// The first as a rule.
  private func place(of identifier: SRTPKeyIdentifier) throws(CryptoError) -> Int {
    guard let place = keys.firstIndex(where: { $0.epoch == identifier.epoch }) else {
      throw .datagram(.unknownKey)
    }
    return place
  }
}
