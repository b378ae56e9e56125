import StatusSchema

/// A status to be told.
enum Example {
  static var status: Status {
    var peer = PeerStatus(name: "B", address: "127.0.0.1:5006", state: .connected)
    peer.id = "peerid"
    peer.jitterMilliseconds = 2.5
    peer.driftPPM = -42.5
    peer.isClockLocked = true
    peer.lost = -1
    peer.quality = 4.25
    var status = Status(
      node: NodeStatus(
        name: "A", version: "0.1.0", uptimeSeconds: 3723.5, listen: "127.0.0.1:5004", talk: true,
        ssrc: 1, ptimeMilliseconds: 2.5, bitrateKilobits: 64, application: "lowdelay"),
      audio: AudioStatus(
        state: .running, server: "default", client: "comlink", sampleRate: 48_000,
        periodFrames: 64, xruns: 3, callbackMeanMicroseconds: 8.5),
      loop: LoopStatus(
        wakes: 100, enters: 107, wakeLatencyP50Microseconds: 24, wakeLatencyP99Microseconds: 152,
        scheduling: "fifo 55", memoryLocked: true),
      network: NetworkStatus(packetsSent: 20, packetsReceived: 19, drops: ["truncated": 2]),
      peers: [peer])
    status.audio.callbackRecentWorstMicroseconds = 20.5
    status.node.id = "ownid"
    status.control = ControlStatus()
    status.audio.underruns = ["wakeUps": 4]
    (status.audio.refusedPeriods, status.audio.ringErrors) = (2, 1)
    status.control?.timedOut = 4
    return status
  }
}
