import ControlSocket
import Remote
import StatusSchema

/// A node without sound whose clock goes on: fifty pictures a second.
struct TickingNode {
  let status = Status(
    node: NodeStatus(
      name: "stage", version: "0.1.0", uptimeSeconds: 1, listen: "127.0.0.1:5004", ssrc: 1,
      ptimeMilliseconds: 10, bitrateKilobits: 64, application: "lowdelay"),
    audio: AudioStatus(state: .waiting, server: "default", client: "comlink"),
    loop: LoopStatus(
      wakes: 0, enters: 0, wakeLatencyP50Microseconds: 0, wakeLatencyP99Microseconds: 0,
      scheduling: "other", memoryLocked: false),
    network: NetworkStatus(packetsSent: 0, packetsReceived: 0), peers: [])

  /// Its pictures for one follower.
  func pictures() -> AsyncStream<NodePicture> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NodePicture.self, bufferingPolicy: .bufferingNewest(1))
    let status = status
    let clock = Task {
      var former: NodePicture?
      for tick: UInt64 in 1... {
        var now = status
        now.node.uptimeSeconds = 1 + Double(tick) / 50
        let picture = NodePicture(
          StatusDocument(now, number: tick), NodeLevels(now), after: former)
        continuation.yield(picture)
        former = picture
        guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return }
      }
    }
    continuation.onTermination = { _ in clock.cancel() }
    return stream
  }
}
