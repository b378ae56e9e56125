import Audio
import EventLoop
import Foundation
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// Not a test but the workshop of `./dev bench quality --virtual`: a whole station talks to another in virtual time,
/// codec, reports and playout included, without the noise of a machine.
@Suite(.enabled(if: QualityJob.given != nil, "./dev bench quality --virtual asks for it"))
struct QualityRun {
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  @Test func `the calls of the job`() throws {
    let job = try #require(QualityJob.given)
    let speech = try Self.samples(job.speechPath)
    for call in job.calls {
      let (heard, reading) = try make(call, of: job, saying: speech)
      try unsafe heard.withUnsafeBytes { unsafe Data($0) }
        .write(to: URL(fileURLWithPath: "\(job.folder)/\(call.name).f32"))
      try JSONEncoder().encode(reading)
        .write(to: URL(fileURLWithPath: "\(job.folder)/\(call.name).json"))
    }
  }

  private func make(
    _ call: QualityJob.Call, of job: QualityJob, saying speech: [Float]
  ) throws -> ([Float], QualityReading) {
    let network = VirtualNetwork(
      model: try LinkScenario(arguments: call.options).model, seed: call.seed)
    let anna = try node("Anna", at: home, of: job)
    let bert = try node("Bert", at: away, of: job)
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    try #require(
      network.run(
        until: { anna.isConnected(to: away) && bert.isConnected(to: home) }, limitSeconds: 60))
    let (said, heard) = (anna.heard.count, bert.heard.count)
    anna.mic = { frame in
      frame >= said && frame - said < speech.count ? speech[frame - said] : 0
    }
    let lead = Double(job.starts.first ?? 0) / 48_000
    let seconds = Double(speech.count) / 48_000 - lead
    network.run(seconds: lead)
    var statuses = bert.statuses(network)
    let begin = network.now
    var watch = ConcealmentWatch(bert, hearing: home, over: network)
    for millisecond in 1...Int((seconds * 1000).rounded(.up)) {
      network.run(seconds: 0.001)
      watch.look(network)
      if millisecond % 1000 == 0 { statuses += bert.statuses(network) }
    }
    let sent = network.traffic.filter { $0.destination == away && $0.arrivalNanoseconds >= begin }
    network.run(seconds: 0.8)
    let headers = 28
    var reading = QualityReading(
      expected: job.starts.map { heard + $0 }, statuses: statuses, packets: sent.count,
      octets: sent.reduce(0) { $0 + $1.bytes.count + headers }, seconds: seconds, xruns: 0)
    reading.concealedOutsidePercent =
      Double(watch.framesOutsideDroughts) / 480 / seconds
    return (bert.heard, reading)
  }

  private func node(
    _ name: String, at address: SocketAddress, of job: QualityJob
  ) throws -> VirtualNode {
    let profile = try #require(Profile(rawValue: job.profile))
    return try VirtualNode(
      name, at: address, beat: VirtualNode.Beat(periodFrames: job.periodFrames)
    ) {
      $0.take(profile)
      if let kilobits = job.bitrateMaxKilobits { $0.mostBitsPerSecond = kilobits * 1000 }
    }
  }

  private static func samples(_ path: String) throws -> [Float] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    var result = [Float](repeating: 0, count: data.count / MemoryLayout<Float>.stride)
    _ = unsafe result.withUnsafeMutableBytes { unsafe data.copyBytes(to: $0) }
    return result
  }
}
