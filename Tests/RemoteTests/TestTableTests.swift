import StatusSchema
import Testing

@testable import Remote

@Suite struct TestTableTests {
  @Test func `a loop test looks like this`() {
    var result = LoopTestStatus(peer: "B", sent: 8, found: 7)
    result.roundTripMilliseconds = 61.25
    (result.leastMilliseconds, result.mostMilliseconds) = (60.5, 64)
    result.levelDecibels = -0.5
    result.networkMilliseconds = 1.5
    result.playoutDelayMilliseconds = 7.5
    #expect(
      TestTable.text(result) == """
        round trip      61.3 ms  (60.5 to 64.0 ms, 7 of 8 sweeps found)
        one way         30.6 ms, half of that; sound cards not included
        network alone   1.5 ms round trip
        playout delay   7.5 ms on this station
        level           -0.5 dB

        """)
  }

  @Test func `nothing found is said so, and names cannot command the terminal`() {
    let result = LoopTestStatus(peer: "B\u{1B}", sent: 8, found: 0)
    #expect(TestTable.text(result) == "none of 8 sweeps came back from B?\n")
  }

  @Test func `a speech test looks like this, alone and with a peer`() {
    var result = SpeechTestStatus(
      peer: nil, intelligibility: 0.9375, delayMilliseconds: 12.5, processorPercent: 0.75,
      ptimeMilliseconds: 10, bitrateKilobits: 64, application: "lowdelay")
    #expect(
      TestTable.text(result) == """
        intelligibility  0.94 of 1.00 (STOI), through the codec
        delay            12.5 ms
        coding           lowdelay 10.0 ms 64 kbit/s
        processor        0.8 % of a core, coding and decoding

        """)
    (result.peer, result.processorPercent) = ("B", nil)
    let text = TestTable.text(result)
    #expect(text.hasPrefix("intelligibility  0.94 of 1.00 (STOI), to B and back\n"))
    #expect(!text.contains("processor"))
  }

  @Test func `a microphone is told in words, with what to do`() {
    var result = VoiceTestStatus(
      speechSeconds: 4, peakDBFS: -9, noiseLevelDBFS: -62, clippedPercent: 0)
    result.speechLevelDBFS = -24
    #expect(
      TestTable.text(result) == """
        level     -24.0 dBFS: good
        noise     -62.0 dBFS, 38 dB below your voice: quiet
        clipping  none, highest peak -9.0 dBFS
        hum       none
        echo      none

        """)
    (result.speechLevelDBFS, result.noiseLevelDBFS) = (-50, -66)
    (result.humHertz, result.humLevelDBFS, result.clippedPercent) = (50, -58, 1.5)
    (result.echoDecibels, result.echoMilliseconds) = (-12, 31)
    let text = TestTable.text(result)
    for words in [
      "much too low; turn the card's input gain up by some 26 dB", "--suppress strong",
      "1.50 % of the samples; turn", "50 Hz of the mains, -58.0 dBFS", "--echo auto",
    ] {
      #expect(text.contains(words), "\(text)")
    }
    result.peakDBFS = -120
    #expect(TestTable.text(result).contains("nothing at all; connect the microphone"))
  }
}
