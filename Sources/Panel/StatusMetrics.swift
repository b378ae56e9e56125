internal import StatusSchema

/// A ``Status`` as families of figures for Prometheus, in base units.
///
/// Left out are peaks of a second, of which Prometheus would miss most.
enum StatusMetrics {
  /// All families; some may have no samples.
  static func families(_ status: Status) -> [MetricFamily] {
    node(status.node) + audio(status.audio) + loop(status.loop) + network(status.network)
      + control(status.control) + captions(status.captions) + PeerMetrics.families(status.peers)
  }

  private static func node(_ node: NodeStatus) -> [MetricFamily] {
    let labels = [("version", node.version), ("node", node.name), ("id", node.id ?? "")]
    return [
      MetricFamily(
        name: "comlink_node_info", kind: .gauge,
        help: "Version, name and ID of this node; always 1.",
        samples: [MetricFamily.Sample(labels: labels, value: 1)]),
      gauge("comlink_uptime_seconds", "Time since the daemon started.", node.uptimeSeconds),
      flag(
        "comlink_identity_kept", "Whether the ID is kept across restarts.",
        node.identityProblem == nil),
      flag("comlink_talk_on", "Whether the talk key is on.", node.talk),
      gauge(
        "comlink_microphone_level_dbfs", "Microphone, RMS; -120 is silence.", node.micLevelDBFS),
      gauge(
        "comlink_mix_level_dbfs", "Mix, RMS of the louder side; -120 is silence.",
        node.mixLevelDBFS),
      gauge("comlink_packet_time_seconds", "Audio per packet sent.", node.ptimeMilliseconds / 1000),
      gauge(
        "comlink_encoder_bytes_per_second", "Target bit rate of the encoder, without headers.",
        node.bitrateKilobits * 125),
    ]
  }

  private static func audio(_ audio: AudioStatus) -> [MetricFamily] {
    [
      flag("comlink_jack_running", "Whether the JACK client runs.", audio.state == .running),
      flag(
        "comlink_jack_freewheeling",
        "Whether the JACK server freewheels, and nothing is sent or played.",
        audio.state == .freewheeling),
      gauge(
        "comlink_jack_sample_rate_hertz", "Sample rate of the JACK server; 0 without one.",
        Double(audio.sampleRate)),
      gauge(
        "comlink_jack_period_frames", "Frames of one process callback; 0 without a server.",
        Double(audio.periodFrames)),
      counter(
        "comlink_jack_xruns_total", "Xruns of the JACK server.", audio.xruns),
      counter(
        "comlink_jack_missed_periods_total", "Periods that the JACK server ran without us.",
        audio.missedPeriods),
      counter(
        "comlink_jack_refused_periods_total",
        "Periods above the supported maximum, played as silence.",
        audio.refusedPeriods ?? 0),
      counter(
        "comlink_ring_errors_total",
        "Ring buffer errors; any is a defect in comlinkd.",
        audio.ringErrors ?? 0),
      reasons(
        "comlink_underruns_total",
        "Periods in which a talking peer had no audio, by cause.",
        audio.underruns ?? [:]),
      counter(
        "comlink_capture_overruns_total",
        "Microphone frames dropped because the ring was full.",
        audio.captureOverruns),
      gauge(
        "comlink_callback_mean_seconds", "Mean time in the process callback.",
        audio.callbackMeanMicroseconds / 1e6),
      gauge(
        "comlink_callback_worst_seconds",
        "Longest time in the process callback in the last minute.",
        (audio.callbackRecentWorstMicroseconds ?? audio.callbackWorstMicroseconds) / 1e6),
      gauge(
        "comlink_callback_load_ratio", "Mean share of the period spent in the process callback.",
        audio.callbackLoadPercent / 100),
    ]
  }

  private static func loop(_ loop: LoopStatus) -> [MetricFamily] {
    [
      counter("comlink_loop_wakes_total", "Wake-ups of the media loop.", loop.wakes),
      counter(
        "comlink_loop_enters_total", "io_uring_enter calls of the media loop.", loop.enters),
      gauge(
        "comlink_loop_wake_latency_median_seconds",
        "Delay from the callback to the loop, median.",
        loop.wakeLatencyP50Microseconds / 1e6),
      gauge(
        "comlink_loop_wake_latency_p99_seconds",
        "Delay from the callback to the loop, 99th percentile.",
        loop.wakeLatencyP99Microseconds / 1e6),
      flag(
        "comlink_loop_realtime", "Whether the media loop has real-time scheduling.",
        loop.scheduling.hasPrefix("fifo")),
      flag("comlink_memory_locked", "Whether the memory is locked in RAM.", loop.memoryLocked),
    ]
  }

  private static func network(_ network: NetworkStatus) -> [MetricFamily] {
    [
      counter(
        "comlink_packets_sent_total", "Datagrams sent, audio and reports.",
        network.packetsSent),
      counter(
        "comlink_packets_received_total", "Datagrams received, valid or not.",
        network.packetsReceived),
      reasons(
        "comlink_packets_dropped_total", "Datagrams dropped, by reason.",
        network.drops),
    ]
  }

  private static func captions(_ captions: CaptionsStatus?) -> [MetricFamily] {
    guard let captions else { return [] }
    return [
      flag("comlink_captioning", "Whether this node captions.", captions.isCaptioning),
      counter(
        "comlink_captions_lost_frames_total",
        "Frames that were not captioned, as the machine was too slow.", captions.lostFrames ?? 0),
      flag(
        "comlink_transcripts_failing", "Whether transcripts cannot be written.",
        captions.transcriptProblem != nil),
    ]
  }

  private static func control(_ control: ControlStatus?) -> [MetricFamily] {
    guard let control else { return [] }
    return [
      gauge(
        "comlink_control_clients", "Clients connected to the control socket.",
        Double(control.clients)),
      gauge(
        "comlink_control_subscribers", "Clients that follow the node's changes.",
        Double(control.subscribers ?? 0)),
      counter(
        "comlink_control_requests_total", "Well-formed requests on the control socket.",
        control.requests),
      reasons(
        "comlink_control_faults_total",
        "Lines and clients rejected by the control socket, by reason.",
        [
          "malformed": control.malformed, "oversized": control.oversized,
          "refused": control.refused, "timedOut": control.timedOut,
        ]),
    ]
  }

  private static func gauge(_ name: String, _ help: String, _ value: Double) -> MetricFamily {
    MetricFamily(name: name, kind: .gauge, help: help, samples: [MetricFamily.Sample(value: value)])
  }

  private static func flag(_ name: String, _ help: String, _ isOn: Bool) -> MetricFamily {
    gauge(name, help, isOn ? 1 : 0)
  }

  private static func counter(_ name: String, _ help: String, _ count: Int) -> MetricFamily {
    MetricFamily(
      name: name, kind: .counter, help: help,
      samples: [MetricFamily.Sample(value: Double(count))])
  }

  private static func reasons(_ name: String, _ help: String, _ counts: [String: Int])
    -> MetricFamily
  {
    let samples = counts.sorted { $0.key < $1.key }.map {
      MetricFamily.Sample(labels: [("reason", $0.key)], value: Double($0.value))
    }
    return MetricFamily(name: name, kind: .counter, help: help, samples: samples)
  }
}
