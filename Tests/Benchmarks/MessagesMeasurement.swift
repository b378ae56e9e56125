import Foundation
import Remote
import StatusSchema
import Synchronization
import TestRig

/// How soon a voice message is there, and whether a hundred at once hold up anybody's voice, while many talk.
struct MessagesMeasurement {
  /// From the sender's answer until the receiver has it whole.
  private static let mostMilliseconds = 1000.0
  private static let messageSeconds = 30.0
  private static let uploadBytes = 30_000
  /// Programs that send at once; the node has room for 16, and the bench asks, too.
  private static let programs = 12

  let bench: Bench
  let talkers: Int
  let messages: Int

  func run() throws(RigError) {
    let station = try CrowdedStation(of: bench, talkers: talkers)
    let (sender, receiver) = (station.group.nodes[0], station.node)
    try waitUntil("R to be written to", within: 20) { () throws(RigError) in
      guard case .messages? = try? sender.ask(.say(to: "R", text: "listen")) else { return false }
      return try receiver.status().messages?.received ?? 0 > 0
    }
    let bare = try BareClient(of: bench)
    let voice = WAV.encode(
      Sound(
        channels: [Speech.lasting(Self.messageSeconds, try Speech.sentences())],
        sampleRate: Bench.sampleRate), .pcm16)
    let one = try milliseconds(from: sender, to: receiver, voice, count: 1)
    bench.judge("messages.one", one.afterLast, "ms", atMost: Self.mostMilliseconds)
    let before = try (sender.status(), receiver.status(), xruns: bare.xruns)
    let all = try milliseconds(from: sender, to: receiver, voice, count: messages)
    bench.figures.add("messages.all", all.sinceFirst / 1000, "s")
    for (name, earlier, node) in [("sender", before.0, sender), ("receiver", before.1, receiver)] {
      var late = Lateness()
      late.add(from: earlier, to: try node.status())
      bench.judge("messages.\(name).underrun.work", Double(late.own), "count", atMost: 0)
      bench.figures.add("messages.\(name).missedPeriods", Double(late.missed), "count")
    }
    bench.figures.add("messages.bare.xruns", Double(bare.xruns - before.xruns), "count")
    station.stop()
    bare.stop()
  }

  /// Sends so many from several programs at once, each one after the other, until all are there: since the first was
  /// begun, and since the last was taken.
  private func milliseconds(
    from sender: NodeProcess, to receiver: NodeProcess, _ voice: [UInt8], count: Int
  ) throws(RigError) -> (sinceFirst: Double, afterLast: Double) {
    let first = ContinuousClock.now
    let wanted = try receiver.status().messages?.last ?? 0
    try Self.sendAtOnce(voice, count: count, from: sender)
    let last = ContinuousClock.now
    try waitUntil("\(count) messages", within: 120, interval: 0.01) { () throws(RigError) in
      try receiver.status().messages?.last ?? 0 >= wanted + Int64(count)
    }
    let now = ContinuousClock.now
    return ((now - first) / .milliseconds(1), (now - last) / .milliseconds(1))
  }

  private final class Failure: Sendable {
    let error = Mutex<RigError?>(nil)
  }

  private static func sendAtOnce(
    _ voice: [UInt8], count: Int, from sender: NodeProcess
  ) throws(RigError) {
    let programs = min(count, Self.programs)
    let failure = Failure()
    let atWork = DispatchGroup()
    for program in 0..<programs {
      atWork.enter()
      // Each waits for the node most of the time.
      Thread.detachNewThread {
        for number in stride(from: program, to: count, by: programs) {
          do throws(RigError) {
            try send(voice, named: "bench-\(number)", from: sender)
          } catch {
            failure.error.withLock { $0 = error }
          }
        }
        atWork.leave()
      }
    }
    atWork.wait()
    if let error = failure.error.withLock({ $0 }) { throw error }
  }

  private static func send(
    _ voice: [UInt8], named name: String, from sender: NodeProcess
  ) throws(RigError) {
    do {
      var client = try ControlClient(path: sender.controlPath, timeout: .seconds(60))
      for offset in stride(from: 0, to: voice.count, by: Self.uploadBytes) {
        let part = Data(voice[offset..<min(offset + Self.uploadBytes, voice.count)])
        _ = try client.request(.voiceMessage(.upload(name: name, offset: offset, octets: part)))
      }
      let answer = try client.request(.voiceMessage(.send(to: "R", upload: name)))
      guard case .messages = answer else { throw RigError.status(reason: "\(answer)") }
    } catch let error as RigError {
      throw error
    } catch {
      throw .status(reason: "\(sender.name): \(error)")
    }
  }
}
