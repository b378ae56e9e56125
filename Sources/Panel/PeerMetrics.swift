internal import StatusSchema

/// The peers of a ``Status`` as families of figures for Prometheus, each sample of one peer.
enum PeerMetrics {
  private static let states: [PeerStatus.State] = [.connecting, .connected, .silent]

  /// All families; those of figures that no peer has yet have no samples.
  static func families(_ peers: [PeerStatus]) -> [MetricFamily] {
    [stateFamily(peers)] + sound(peers) + delay(peers) + packets(peers)
  }

  /// One sample a state, 1 for the one that holds.
  private static func stateFamily(_ peers: [PeerStatus]) -> MetricFamily {
    let samples = peers.flatMap { peer in
      states.map { state in
        MetricFamily.Sample(
          labels: labels(peer) + [("state", state.rawValue)], value: peer.state == state ? 1 : 0)
      }
    }
    return MetricFamily(
      name: "comlink_peer_state", kind: .gauge, help: "Whether the peer is in this state.",
      samples: samples)
  }

  private static func sound(_ peers: [PeerStatus]) -> [MetricFamily] {
    [
      gauge("comlink_peer_talking", "Whether the peer talks.", peers) { $0.isTalking ? 1 : 0 },
      gauge("comlink_peer_level_dbfs", "Level before gain, RMS; -120 is silence.", peers) {
        $0.levelDBFS
      },
      gauge("comlink_peer_gain_decibels", "Its gain in the mix.", peers) { $0.gainDecibels },
      gauge("comlink_peer_muted", "Whether it is muted in the mix.", peers) { $0.isMuted ? 1 : 0 },
      gauge("comlink_peer_quality_rating", "Quality rating of the received voice, 0 to 5.", peers) {
        $0.quality
      },
      gauge("comlink_peer_received_bytes_per_second", "Received payload.", peers) {
        $0.bitrateKilobits * 125
      },
      gauge("comlink_peer_sent_bytes_per_second", "Payload sent to it, copies included.", peers) {
        $0.sentBitrateKilobits.map { $0 * 125 }
      },
    ]
  }

  private static func delay(_ peers: [PeerStatus]) -> [MetricFamily] {
    [
      gauge("comlink_peer_jitter_seconds", "Interarrival jitter (RFC 3550).", peers) {
        $0.jitterMilliseconds / 1000
      },
      gauge("comlink_peer_round_trip_seconds", "Round trip by the reports (RFC 3550).", peers) {
        $0.roundTripMilliseconds.map { $0 / 1000 }
      },
      gauge("comlink_peer_playout_delay_seconds", "Playout delay of its packets.", peers) {
        $0.playoutDelayMilliseconds / 1000
      },
      gauge("comlink_peer_clock_drift_ratio", "How much faster its sample clock runs.", peers) {
        $0.isClockLocked == true ? $0.driftPPM.map { $0 / 1e6 } : nil
      },
    ]
  }

  private static func packets(_ peers: [PeerStatus]) -> [MetricFamily] {
    [
      counter("comlink_peer_packets_received_total", "Audio packets received.", peers) {
        $0.received
      },
      // What comes late or twice takes a loss back, so that this one also falls.
      gauge("comlink_peer_packets_lost", "Packets lost (RFC 3550 A.3).", peers) {
        Double($0.lost)
      },
      counter("comlink_peer_packets_repaired_total", "Packets repaired in time.", peers) {
        $0.repaired
      },
      counter("comlink_peer_packets_resent_total", "Packets repaired by RTX.", peers) {
        $0.resent
      },
      counter(
        "comlink_peer_packets_recovered_total", "Packets repaired by in-band FEC.", peers
      ) {
        $0.recovered
      },
      counter("comlink_peer_packets_late_total", "Packets that arrived too late to play.", peers) {
        $0.late
      },
      counter("comlink_peer_packets_duplicate_total", "Duplicate packets.", peers) {
        $0.duplicate
      },
      counter("comlink_peer_concealed_frames_total", "Codec frames concealed.", peers) {
        $0.concealed
      },
      counter(
        "comlink_peer_underruns_total", "Periods with nothing to play while the peer talked.", peers
      ) {
        $0.underrun
      },
      counter("comlink_peer_splices_total", "Splices that corrected its delay.", peers) {
        $0.spliced
      },
      gauge("comlink_peer_loss_ratio", "Share of its packets lost on the way here.", peers) {
        $0.lossPercent / 100
      },
      gauge("comlink_peer_remote_loss_ratio", "Share of our packets lost on the way there.", peers)
      {
        $0.remoteLossPercent.map { $0 / 100 }
      },
    ]
  }

  private static func gauge(
    _ name: String, _ help: String, _ peers: [PeerStatus], _ value: (PeerStatus) -> Double?
  ) -> MetricFamily {
    MetricFamily(
      name: name, kind: .gauge, help: help,
      samples: peers.compactMap { peer in
        value(peer).map { MetricFamily.Sample(labels: labels(peer), value: $0) }
      })
  }

  private static func counter(
    _ name: String, _ help: String, _ peers: [PeerStatus], _ value: (PeerStatus) -> Int?
  ) -> MetricFamily {
    MetricFamily(
      name: name, kind: .counter, help: help,
      samples: peers.compactMap { peer in
        value(peer).map { MetricFamily.Sample(labels: labels(peer), value: Double($0)) }
      })
  }

  /// The ID tells apart what calls itself alike.
  private static func labels(_ peer: PeerStatus) -> [(name: String, value: String)] {
    [("peer", peer.name), ("id", peer.id ?? "")]
  }
}
