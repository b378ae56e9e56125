import Audio

/// Somebody who talks with the user at this node alone.
extension Intercom {
  /// Opens the microphone and the ear to somebody off the loop; one at a time.
  ///
  /// - Throws: why that cannot be, in words.
  public nonisolated func openEar() async throws(IntercomError) -> EarLink {
    let rate = try await runningRate()
    let link: EarLink
    do throws(AudioError) {
      link = try EarLink(sampleRate: rate)
    } catch {
      throw .audio(error)
    }
    try await begin(link)
    return link
  }

  /// Ends it.
  public func closeEar(_ link: EarLink) { station.taps.voice.end(link) }

  private func begin(_ link: EarLink) throws(IntercomError) {
    try station.taps.voice.begin(link, in: station.slots)
  }
}
