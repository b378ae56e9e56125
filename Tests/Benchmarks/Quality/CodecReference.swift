import Audio
import Intercom
import TestRig

/// The codec without a network: the best that a profile can reach at its bit rate.
struct CodecReference {
  let profile: QualityProfile

  /// Codes and decodes.
  ///
  /// - Throws: `RigError`.
  func decoded(_ samples: [Float]) throws(RigError) -> [Float] {
    do {
      return try decoded(samples, profile.profile.settings)
    } catch {
      throw .launch(command: "Opus", reason: "\(error)")
    }
  }

  private func decoded(
    _ samples: [Float], _ settings: Profile.Settings
  ) throws(AudioError) -> [Float] {
    let encoder = try OpusEncoder(
      application: settings.application, bitrateBitsPerSecond: settings.bitsPerSecond,
      complexity: settings.complexity, bandwidth: settings.bandwidth)
    let decoder = try OpusDecoder()
    var payload = [UInt8](repeating: 0, count: 1276)
    var pcm = [Float](repeating: 0, count: profile.framesPerPacket)
    var result: [Float] = []
    result.reserveCapacity(samples.count)
    for start in stride(
      from: 0, through: samples.count - profile.framesPerPacket, by: profile.framesPerPacket)
    {
      let frame = samples.span.extracting(start..<start + profile.framesPerPacket)
      var octets = payload.mutableSpan
      var room = unsafe octets.mutableBytes
      let count = encoder.encode(frame, into: &room)
      guard count > 0 else { continue }
      var output = pcm.mutableSpan
      _ = decoder.decode(unsafe payload.span.bytes.extracting(0..<count), into: &output)
      result += pcm
    }
    return result
  }
}
