import StatusSchema
import Testing

@testable import Panel

@Suite struct StatusMetricsTests {
  private static func text(_ change: (inout Status) -> Void = { _ in }) -> String {
    var status = Example.status
    change(&status)
    return MetricsText.text(StatusMetrics.families(status))
  }

  static let lines = [
    #"comlink_node_info{version="0.1.0",node="A",id="ownid"} 1"#, "comlink_uptime_seconds 3723.5",
    "comlink_packet_time_seconds 0.0025", "comlink_encoder_bytes_per_second 8000",
    "comlink_jack_xruns_total 3", "comlink_jack_refused_periods_total 2",
    "comlink_ring_errors_total 1", "comlink_callback_mean_seconds 8.5e-06",
    "comlink_callback_worst_seconds 2.05e-05",
    "comlink_loop_wake_latency_p99_seconds 0.000152", "comlink_loop_realtime 1",
    #"comlink_packets_dropped_total{reason="truncated"} 2"#,
    #"comlink_underruns_total{reason="wakeUps"} 4"#,
    #"comlink_control_faults_total{reason="timedOut"} 4"#,
    #"comlink_peer_state{peer="B",id="peerid",state="connected"} 1"#,
    #"comlink_peer_state{peer="B",id="peerid",state="silent"} 0"#,
    #"comlink_peer_jitter_seconds{peer="B",id="peerid"} 0.0025"#,
    #"comlink_peer_clock_drift_ratio{peer="B",id="peerid"} -4.25e-05"#,
    #"comlink_peer_packets_lost{peer="B",id="peerid"} -1"#,
    #"comlink_peer_quality_rating{peer="B",id="peerid"} 4.25"#,
  ]

  @Test(arguments: lines)
  func `figures are told in base units`(line: String) {
    #expect(Self.text().contains("\n\(line)\n"), "\(Self.text())")
  }

  @Test func `what is not known yet is left out`() {
    let text = Self.text { status in
      status.peers[0].quality = nil
      status.peers[0].isClockLocked = false
      status.control = nil
    }
    #expect(!text.contains("comlink_peer_quality_rating"))
    #expect(!text.contains("comlink_peer_clock_drift_ratio"))
    #expect(!text.contains("comlink_control"))
  }

  @Test func `captions tell what they lost`() {
    let text = Self.text { status in
      var captions = CaptionsStatus(isAvailable: true)
      (captions.isCaptioning, captions.lostFrames) = (true, 480)
      captions.transcriptProblem = "the disk is full"
      status.captions = captions
    }
    for line in [
      "comlink_captioning 1", "comlink_captions_lost_frames_total 480",
      "comlink_transcripts_failing 1",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test func `names from the network end no line and no label`() {
    let text = Self.text { $0.peers[0].name = "x\"} 1\nevil_total 5" }
    #expect(!text.contains("\nevil_total"))
    #expect(text.contains(#"peer="x\"} 1\nevil_total 5""#))
  }

  @Test func `each family is told once, with its help and its type`() {
    let lines = Self.text().split(separator: "\n")
    let names = { (start: String) in
      lines.filter { $0.hasPrefix(start) }.map { $0.split(separator: " ")[2] }
    }
    #expect(names("# HELP") == names("# TYPE"))
    #expect(Set(names("# HELP")).count == names("# HELP").count)
    for line in lines where line.hasPrefix("# TYPE") {
      let words = line.split(separator: " ")
      #expect(words[2].hasSuffix("_total") == (words[3] == "counter"), "\(line)")
    }
  }
}
