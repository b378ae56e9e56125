public import Audio
import Cryptography
import EventLoop

/// What a recorder needs of a node.
extension Intercom {
  /// Makes a deck of tapes for JACK's present rate and the talkers there are; ``record(on:)`` begins.
  ///
  /// The memory is had off the loop.
  /// - Parameters:
  ///   - keepsTalkers: a tape for each talker, the own microphone among them.
  ///   - keepsMix: two for the mix as it is heard.
  ///   - buses: one for each of these, by name.
  /// - Throws: where there is no such bus; while JACK does not run, as its rate is unknown then; and where memory is
  ///   short.
  public nonisolated func makeDeck(
    keepsTalkers: Bool, keepsMix: Bool, buses: [String] = []
  ) async throws(IntercomError) -> TapeDeck {
    let taped = try await taped(buses)
    guard let (sampleRate, talkers) = await recordingTerms() else {
      throw .refused("JACK does not run; start it, then record")
    }
    do throws(AudioError) {
      return try TapeDeck(
        sampleRate: sampleRate, keepsTalkers: keepsTalkers, keepsMix: keepsMix, buses: taped,
        talkers: talkers)
    } catch {
      throw .audio(error)
    }
  }

  /// Puts all sound from now on on the deck's tapes; beside earlier decks.
  public func record(on deck: TapeDeck) { station.beginRecording(on: deck) }

  /// Puts nothing on that deck any more.
  public func endRecording(on deck: TapeDeck) { station.endRecording(on: deck) }

  private func taped(
    _ names: [String]
  ) throws(IntercomError) -> [(name: String, bus: MixBus)] { try station.buses.taped(names) }

  private func recordingTerms() -> (sampleRate: Int, talkers: Int)? {
    let beat = station.playout.beat
    return beat.isRunning ? (beat.sampleRate, station.talkerCount) : nil
  }
}
