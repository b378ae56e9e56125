internal import Media
internal import Voice

/// Tests of the own microphone; each ends by itself, or when the task that asked is cancelled.
extension Intercom {
  /// So much of the ear's sound in the microphone howls: the gain of the voice chain comes on top.
  private static let loudspeakerDecibels = -45.0

  /// Finds out what the microphone is like while the user speaks for so long, then is quiet and hears three sweeps.
  ///
  /// - Throws: why that cannot be, in words.
  public nonisolated func measureMicrophone(
    speechSeconds: Double
  ) async throws(IntercomError) -> MicrophoneMeasurement {
    let (probe, record, start) = try await record(speechSeconds: speechSeconds)
    return probe.measure(record, soundStart: start)
  }

  /// Lets the user hear the own microphone by way of the voice chain.
  ///
  /// - Returns: why it ended before its time, in words; nil: it did not.
  /// - Throws: that the station plays on loudspeakers, or why else it cannot be, in words.
  public nonisolated func monitorVoice(seconds: Double) async throws(IntercomError) -> String? {
    guard await !isForLoudspeakers else {
      throw .refused(
        "this station is set for loudspeakers (echo is not off), which would howl; put on a headset, "
          + "then run: comlink voice --echo off")
    }
    let (probe, record, start) = try await record(speechSeconds: 0)
    if let echo = probe.echo(Array(record[start...])), echo.decibels > Self.loudspeakerDecibels {
      throw .refused(
        "the microphone hears what you hear, which would howl; use a headset, or turn it down")
    }
    let monitor = try await beginMonitor(seconds: seconds)
    await wait(for: monitor)
    return await hasHowled(monitor) ? "it howled and was ended; turn the headset down" : nil
  }

  private nonisolated func record(
    speechSeconds: Double
  ) async throws(IntercomError) -> (probe: MicrophoneProbe, record: [Float], start: Int) {
    let probe = MicrophoneProbe(speechSeconds: speechSeconds, sampleRate: try await runningRate())
    let room = [Float](repeating: 0, count: probe.recordFrames)
    let number = try await beginMicrophone(probe, room)
    await wait(for: number)
    let (record, start) = try await takeRecord(number)
    return (probe, record, start)
  }

  private var isForLoudspeakers: Bool { station.capture.voice.basis.settings.echo != .off }

  private func beginMicrophone(
    _ probe: MicrophoneProbe, _ room: consuming [Float]
  ) throws(IntercomError) -> Int {
    let test = MicrophoneTest(probe, room: room, taps: station.taps)
    return try station.tests.beginMicrophone(test, at: station.playout.beat)
  }

  private func beginMonitor(seconds: Double) throws(IntercomError) -> Int {
    let rate = try runningRate()
    let packet = station.repair.coding.framesPerPacket * rate / 48_000
    let monitor = EarMonitor(
      seconds: seconds, sampleRate: rate, framesPerPacket: packet, taps: station.taps)
    return try station.tests.beginMonitor(monitor, at: station.playout.beat)
  }

  private func takeRecord(_ number: Int) throws(IntercomError) -> (record: [Float], start: Int) {
    guard let test = station.tests.takeHeard(number) as? MicrophoneTest, test.isComplete,
      let start = test.soundStart
    else { throw .refused("the test was cancelled, or JACK went away; try again") }
    return (test.record, start)
  }

  private func hasHowled(_ number: Int) -> Bool {
    (station.tests.takeHeard(number) as? EarMonitor)?.hasHowled == true
  }
}
