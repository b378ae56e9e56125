import StatusSchema
import StatusSchema
import Testing

@testable import Remote

@Suite struct StatusTableTests {
  @Test func `the table looks like this`() {
    #expect(
      StatusTable.text(GoldenStatus.value) == """
        node     A  127.0.0.1:5004  talk ON  up 1:02:03  comlinkd 0.1.0
        id       typm43w3ujqfm3fkpqepbdqhahdrvrrngeehylih2scfoajhv7za  start 12  for this run only
        words    mosaic border rainbow gymnast siesta napkin forest equator
        PROBLEM  this identity runs on another node, started earlier: it is kept out
                 was its SD card or state copied? comlink id new on one of the two, then restart comlinkd
        trust    unknown: the file of whom this node trusts is damaged
        state    gain, pan, mute and talk hold for this run only: the disk is full
        loopback sends B back instead of the microphone, 250 s left
        sound    mic -23.5 dB (peak -12.0 dB)  mix silent  lowdelay 2.5 ms 64 kbit/s  ssrc 0xdeadbeef
        voice    suppress light  gain auto  (gain now 6.5 dB)  10.0 ms late  VOX shut
                 RNNoise is not installed
        jack     running  jackd 1.9.21  server default  client comlink  48000 Hz  64 frames  3 xruns
                 JACK client name 'comlink' is in use
        callback mean 8.5 us  worst 20.5 us (of all 40.3)  load 0.8 %  capture overruns 1
                 7 periods longer than 8192 frames, played as silence
                 1 ring errors, a defect in comlinkd: please report
        periods in which a talking peer had no audio, by cause: wakeUps 4, callbacks 1
        loop     wake-up p50 24 us  p99 152 us  fifo 55  memory locked  100000 wakes
        network  sent 20000  received 19990  dropped 9 (unknownSource 7, truncated 2)
        guest    Gina here  talks  -21.5 dB  delay 22.5 ms  lost 2  made up 1
        guest    Gina of B  talks  -21.5 dB  delay 22.5 ms  lost 2  made up 1
        record   ended  1:02:03  9 files (opus)  123.5 MB of 10.0 GB  dropped 480  DISK STALLED for 3 s
                 /srv/takes/2026-11-22_14.33.05
                 1 FAILED: anna: too large a file
                 FAILED: the disk is full
        captions this node captions line stage, 12 chunks
                 the recogniser at tcp://127.0.0.1:10300: the speech service does not answer
        captions the transcript cannot be written: No space left on device
        session  "Show" live, hosted here, line stage, 2 listening, joined, its battery at 40 %

          peer       state      level  gain   pan  jit.   rtt delay   ppm   recv lost late conc. loss%  kb/s
        * B          RECORDING  -21.5  -6.0 -0.50   0.3   1.5   7.5 -42.5  12345   12    3    15   0.5  63.5
          C          connecting     -   0.0  0.00   0.0     -   0.0     -      0    0    0     0   0.0   0.0

          peer       heard  why, and what we send it
        * B            4.3  12 % loss in bursts of 3, repaired by copies; playout 48 ms; 103 kbit/s to it, c
        """)
  }

  @Test func `a daemon of before identities has no lines about one`() throws {
    let older = GoldenStatus.json
      .replacing(#""schemaMinor" : 10"#, with: #""later" : 1"#)
      .replacing(#""id" :"#, with: #""x" :"#)
    let status = try JSONLine.decode(Status.self, from: Array(older.utf8))
    #expect(status.schemaMinor == nil)
    #expect(!StatusTable.text(status).contains("\nid "))
  }

  @Test
  func
    `what should never happen has no line while it does not, nor from a daemon that does not count it`()
  {
    var status = GoldenStatus.value
    (status.audio.refusedPeriods, status.audio.ringErrors) = (0, nil)
    let text = StatusTable.text(status)
    #expect(!text.contains("8192") && !text.contains("ring errors"))
  }

  @Test func `why JACK refuses the node has a line of its own`() {
    var status = GoldenStatus.value
    status.audio.state = .failed
    let lines = StatusTable.text(status).split(separator: "\n")
    #expect(lines.contains("jack     failed  jackd 1.9.21  server default  client comlink"))
    #expect(lines.contains("         JACK client name 'comlink' is in use"))
  }

  @Test func `nothing makes a line longer than the terminal`() {
    var status = GoldenStatus.value
    status.node.name = String(repeating: "long ", count: 100)
    status.network.drops = Dictionary(uniqueKeysWithValues: (0..<40).map { ("reason\($0)", $0) })
    status.peers[0].name = String(repeating: "x", count: 300)
    status.peers[0].received = .max
    status.peers[0].lost = .min
    status.peers[0].jitterMilliseconds = 1e300
    status.peers[0].levelDBFS = -119.96
    status.peers[0].gainDecibels = -.infinity
    for line in StatusTable.text(status).split(separator: "\n") {
      #expect(line.count <= StatusTable.columns + 14, "\(line)")
    }
  }

  @Test(arguments: ["raspberrypi", "comlink-pi-of-the-monitor-desk-stage-left"])
  func `peers of one name are told apart, however long it is`(name: String) {
    var status = GoldenStatus.value
    status.peers[0].name = "\(name)-2"
    status.peers[1].name = "\(name)-3"
    status.peers[1].quality = 4
    let lines = StatusTable.text(status).split(separator: "\n")
    // In the table, and among those whose quality is told.
    #expect(lines.count { $0.contains("-2 ") && $0.hasPrefix("* \(name.prefix(11))") } == 2)
    #expect(lines.count { $0.contains("-3 ") && $0.hasPrefix("  \(name.prefix(11))") } == 2)
    let heading = lines.first { $0.hasPrefix("  peer") } ?? ""
    #expect(heading.count == (name.count < 20 ? 103 : 114))
  }

  @Test func `a peer's name cannot command the terminal`() {
    var status = GoldenStatus.value
    status.peers[0].name = "\u{1B}[2J\u{7}\u{202E}x\ny"
    let text = StatusTable.text(status)
    #expect(text.contains("* ?[2J??x?y"))
    #expect(!text.contains("\u{1B}"))
  }

  @Test func `a peer that records or sends a voice back is told apart, while it is there`() {
    var status = GoldenStatus.value
    status.peers[0].isLoopingBack = true
    #expect(StatusTable.text(status).contains("* B          RECORDING "))
    status.peers[0].isRecording = false
    #expect(StatusTable.text(status).contains("* B          LOOP-BACK "))
    status.peers[0].isLoopingBack = false
    #expect(StatusTable.text(status).contains("* B          EFFECT "))
    status.peers[0].state = .silent
    #expect(StatusTable.text(status).contains("* B          silent "))
  }

  @Test func `while JACK is awaited there are no figures of it`() {
    var status = GoldenStatus.value
    status.audio = AudioStatus(state: .waiting, server: "studio", client: "comlink")
    status.peers = []
    let text = StatusTable.text(status)
    #expect(text.contains("jack     waiting  server studio  client comlink\nloop"))
    #expect(text.hasSuffix("\n\nno peers"))
  }

  @Test(arguments: [
    (0.04, 1, "0.0"), (-0.04, 1, "0.0"), (-0.05, 1, "-0.1"), (2.675, 2, "2.68"),
    (999.96, 1, "1000.0"),
    (-3, 0, "-3"), (.nan, 1, "-"), (.infinity, 0, "-"), (1.5, 0, "2"), (12.003, 3, "12.003"),
  ])
  func `numbers have as many decimals as asked for`(value: Double, digits: Int, text: String) {
    #expect(Fixed.text(value, digits: digits) == text)
  }

  @Test(arguments: [
    (0, "0"), (99_999, "99999"), (100_000, "100k"), (99_999_999, "99M"), (-12_345, "-12k"),
  ])
  func `counters fit their column`(value: Int, text: String) {
    #expect(Cell.count(value, width: 5) == text)
  }
}
