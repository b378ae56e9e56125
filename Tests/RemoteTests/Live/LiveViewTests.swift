import StatusSchema
import Testing

@testable import Remote

@Suite struct LiveViewTests {
  private static func status(peers: [PeerStatus]) -> Status {
    var status = GoldenStatus.value
    status.peers = peers
    return status
  }

  private static func text(
    _ columns: Int, _ rows: Int, of status: Status = GoldenStatus.value, isUnicode: Bool = true
  ) -> String {
    var view = LiveView(isUnicode: isUnicode)
    return view.frame(of: status, columns: columns, rows: rows, at: .zero).text
  }

  @Test func `eighty columns look like this`() {
    #expect(
      Self.text(80, 24) == """
        A  talk ON  1 connected  up 1:02:03  127.0.0.1:5004
        jack running  3 xruns  64 frames  48000 Hz  callback 0.8 %  jackd 1.9.21
        recording FAILED: the disk is full
        LOOP-BACK of B, not the mic  0:04:10 left
        mic █████████████████···········  -23.5  mix ···························· silent

          peer                state      level                    jit. delay loss% heard
        * B (stage left)      RECORDING  ███████████████········   0.3   7.5   0.5   4.3
          C                   connecting                             -     -     -     -
        """)
  }

  @Test func `forty columns look like this`() {
    #expect(
      Self.text(40, 10) == """
        A  talk ON  1 connected  up 1:02:03
        jack running  3 xruns  64 frames
        recording FAILED: the disk is full
        LOOP-BACK of B, not the mic
        mic █████████████████▌···········  -23.5
        mix ····························· silent
           peer     level    jit. dly. ls.% hrd.
        *R B        █████···  0.3  7.5  0.5  4.3
           C        connecti    -    -    -    -
        """)
  }

  @Test func `ASCII will do`() {
    #expect(Self.text(40, 10, isUnicode: false).utf8.allSatisfy { $0 < 128 })
  }

  @Test(arguments: [(200, 60), (80, 24), (59, 9), (40, 10), (20, 5), (12, 3), (5, 2), (1, 1)])
  func `no line is longer than the terminal, and no picture higher`(columns: Int, rows: Int) {
    var peer = GoldenStatus.value.peers[0]
    peer.name = String(repeating: "舞台e\u{301}🎤", count: 9)
    let status = Self.status(peers: Array(repeating: peer, count: 64))
    var view = LiveView(isUnicode: true)
    for frame in [
      view.frame(of: status, columns: columns, rows: rows, at: .zero),
      view.frame(problem: "no comlinkd answers at /run/comlink", columns: columns, rows: rows),
    ] {
      #expect(frame.rows.count <= rows)
      for row in frame.rows {
        var end = 0
        for piece in row {
          #expect(piece.column >= end, "\(row)")
          end = piece.column + TextWidth.columns(of: piece.text)
        }
        #expect(end <= columns, "\(row)")
      }
    }
  }

  @Test func `where not all peers fit, connected ones come first and the rest is counted`() {
    let peers = (1...20).map { number in
      PeerStatus(name: "p\(number)", address: "", state: number == 20 ? .connected : .silent)
    }
    let lines = Self.text(80, 10, of: Self.status(peers: peers)).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 10)
    #expect(lines[6].hasPrefix("  p20 "))
    #expect(lines[9] == "  and 17 more")
  }

  @Test func `a muted peer is shown as such instead of its state or meter`() {
    var peer = GoldenStatus.value.peers[0]
    peer.isMuted = true
    #expect(
      Self.text(80, 24, of: Self.status(peers: [peer]))
        .contains("* B (stage left)      RECORDING  muted "))
    (peer.isRecording, peer.effect) = (false, nil)
    #expect(
      Self.text(80, 24, of: Self.status(peers: [peer])).contains("* B (stage left)      muted "))
    #expect(Self.text(40, 24, of: Self.status(peers: [peer])).contains("* B        muted "))
  }

  @Test func `a recording that runs is told, and what is wrong with it before what is not`() {
    var status = GoldenStatus.value
    status.recording = RecordingStatus(
      path: "/srv/takes/2026-11-22_14.33.05", format: "wav", mostBytes: 10_000_000_000)
    status.recording?.seconds = 61
    status.recording?.files = 3
    status.node.loopBack = nil
    let row = { (columns: Int) in
      Self.text(columns, 24, of: status).split(separator: "\n").first { $0.contains("REC") }
    }
    #expect(
      row(80) == "RECORDING 0:01:01  3 files  0 B of 10.0 GB  /srv/takes/2026-11-22_14.33.05")
    status.recording?.secondsLeft = 7201
    #expect(row(64) == "RECORDING 0:01:01  3 files  0 B of 10.0 GB, room for 2:00:01")
    status.recording?.failedFiles = 1
    status.recording?.stalledSeconds = 7
    status.recording?.droppedFrames = 480
    #expect(row(60) == "RECORDING 0:01:01  DISK STALLED  1 FAILED  dropped 480")
    status.recording?.isRunning = false
    status.recording?.hasFailed = false
    #expect(Self.text(80, 24, of: status).contains("recording") == false, "it ended as asked")
  }

  @Test func `who sends a voice back is told, where there is no room for words by a letter`() {
    var peer = GoldenStatus.value.peers[0]
    (peer.isRecording, peer.isLoopingBack) = (false, true)
    let status = Self.status(peers: [peer])
    #expect(Self.text(80, 24, of: status).contains("* B (stage left)      LOOP-BACK "))
    #expect(Self.text(40, 24, of: status).contains("*L B "))
  }

  @Test func `the peak mark stays for a while, then falls`() {
    var view = LiveView(isUnicode: true)
    let column = { (view: inout LiveView, level: Double, milliseconds: Int) -> Int? in
      var status = GoldenStatus.value
      status.node.micLevelDBFS = level
      let frame = view.frame(
        of: status, columns: 80, rows: 24, at: .milliseconds(milliseconds))
      return frame.text.split(separator: "\n")[4].prefix(32).firstIndex(of: "│")?
        .utf16Offset(in: frame.text.split(separator: "\n")[4])
    }
    #expect(column(&view, -12, 0) == nil)
    let held = column(&view, -60, 100)
    #expect(held != nil)
    #expect(column(&view, -60, 1400) == held)
    let falling = column(&view, -60, 2500)
    #expect(falling.map { $0 < held ?? 0 } == true)
    #expect(column(&view, -60, 6000) == nil)
  }

  @Test func `a daemon that is gone is told, in as many lines as it takes`() {
    var view = LiveView(isUnicode: true)
    let frame = view.frame(problem: "no comlinkd answers at /tmp/c.sock", columns: 24, rows: 5)
    #expect(frame.text == "no comlinkd answers at\n/tmp/c.sock; trying\nagain")
  }
}
