import Audio

/// The codec with arrays, for tests.
extension OpusEncoder {
  func packet(_ pcm: [Float], capacityBytes: Int = 1275) -> (code: Int, bytes: [UInt8]) {
    var bytes = [UInt8](repeating: 0, count: capacityBytes)
    var span = bytes.mutableSpan
    var payload = unsafe span.mutableBytes
    let code = encode(pcm.span, into: &payload)
    return (code, Array(bytes.prefix(max(code, 0))))
  }

  /// All of the signal, a packet a frame of that size.
  func packets(_ pcm: [Float], framesPerPacket: Int) -> [[UInt8]] {
    stride(from: 0, through: pcm.count - framesPerPacket, by: framesPerPacket).map { start in
      packet(Array(pcm[start..<start + framesPerPacket])).bytes
    }
  }
}

extension OpusDecoder {
  func frames(
    _ payload: [UInt8], capacityFrames: Int = OpusDecoder.maximumPacketFrames
  ) -> (code: Int, pcm: [Float]) {
    var pcm = [Float](repeating: .nan, count: capacityFrames)
    var span = pcm.mutableSpan
    let code = decode(unsafe payload.span.bytes, into: &span)
    return (code, Array(pcm.prefix(max(code, 0))))
  }

  /// The side of what was written last.
  func side(frames: Int) -> [Float] {
    var pcm = [Float](repeating: .nan, count: frames)
    var span = pcm.mutableSpan
    let count = takeSide(from: 0, into: &span)
    return Array(pcm.prefix(count))
  }

  func concealment(frames: Int) -> (code: Int, pcm: [Float]) {
    var pcm = [Float](repeating: .nan, count: frames)
    var span = pcm.mutableSpan
    let code = conceal(into: &span)
    return (code, pcm)
  }

  func recovery(from payload: [UInt8], frames: Int) -> (code: Int, pcm: [Float]) {
    var pcm = [Float](repeating: .nan, count: frames)
    var span = pcm.mutableSpan
    let code = recover(from: unsafe payload.span.bytes, into: &span)
    return (code, pcm)
  }

  /// The whole stream.
  func signal(_ packets: [[UInt8]]) -> [Float] {
    packets.flatMap { frames($0).pcm }
  }
}
