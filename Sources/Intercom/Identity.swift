import RTP

/// Who this node is for one run: the RTP session's SSRC and canonical name.
struct Identity: Sendable {
  /// Random (RFC 3550 §8.1).
  ///
  /// Two nodes that drew the same, one pair in four billion, ignore
  /// each other and count `ownSSRC`.
  let ssrc: SSRC
  /// Random for each run, 96 bits (RFC 7022 §4.2), so that peers recognise a restart.
  let canonicalName: String

  /// Draws both from the system's random source.
  init() {
    var random = SystemRandomNumberGenerator()
    self.init(using: &random)
  }

  /// Draws both from a random source.
  init(using random: inout some RandomNumberGenerator) {
    ssrc = SSRC(rawValue: .random(in: 1 ... .max, using: &random))
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    canonicalName = String((0..<16).map { _ in alphabet[Int.random(in: 0..<64, using: &random)] })
  }
}
