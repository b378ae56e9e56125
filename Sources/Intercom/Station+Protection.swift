import Cryptography

/// What goes out is encrypted.
extension Station {
  /// Writes an RTP packet by `fill` and protects it, as the recipe's place in the list has its own key.
  ///
  /// - Returns: its bytes; 0 when there is nothing to send.
  func makeMedia(
    _ recipeIndex: Int = 0, into packet: inout MutableRawSpan,
    fill: (inout MutableRawSpan) -> Int
  ) -> Int {
    let byteCount = Self.fill(&packet, sparing: MediaProtection.mediaOverhead, fill)
    guard byteCount > 0 else { return 0 }
    guard let variant = SRTPVariant(recipeIndex) else { return countUnsealed() }
    let sealed = protection.seal(&packet, byteCount: byteCount, variant: variant)
    return sealed > 0 ? sealed : countUnsealed()
  }

  /// The same for a compound of reports.
  func makeReport(
    into packet: inout MutableRawSpan, fill: (inout MutableRawSpan) -> Int
  ) -> Int {
    let byteCount = Self.fill(&packet, sparing: MediaProtection.reportOverhead, fill)
    guard byteCount > 0 else { return 0 }
    let sealed = protection.sealReport(&packet, byteCount: byteCount)
    return sealed > 0 ? sealed : countUnsealed()
  }

  private static func fill(
    _ packet: inout MutableRawSpan, sparing overhead: Int, _ fill: (inout MutableRawSpan) -> Int
  ) -> Int {
    let room = min(packet.byteCount, MediaProtection.mostSentBytes) - overhead
    guard room > 0 else { return 0 }
    var place = packet._mutatingExtracting(0..<room)
    return fill(&place)
  }

  private func countUnsealed() -> Int {
    drops.unsealed += 1
    return 0
  }
}
