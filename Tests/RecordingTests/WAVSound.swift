/// What a WAV file of 24 bits says: read by its chunks, as any reader does.
struct WAVSound {
  var channels = 0
  var sampleRate = 0
  /// By channel.
  var frames: [[Float]] = []

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 12, bytes.text(at: 0, 4) == "RIFF", bytes.text(at: 8, 4) == "WAVE",
      bytes.number(at: 4, 4) == bytes.count - 8
    else { return nil }
    var offset = 12
    while offset + 8 <= bytes.count {
      let (tag, size) = (bytes.text(at: offset, 4), bytes.number(at: offset + 4, 4))
      let body = offset + 8
      guard body + size <= bytes.count else { return nil }
      if tag == "fmt " {
        guard bytes.number(at: body, 2) == 1, bytes.number(at: body + 14, 2) == 24 else {
          return nil
        }
        channels = bytes.number(at: body + 2, 2)
        sampleRate = bytes.number(at: body + 4, 4)
      }
      if tag == "data" { read(bytes, body, size) }
      offset = body + size + size & 1
    }
  }

  private mutating func read(_ bytes: [UInt8], _ body: Int, _ size: Int) {
    frames = Array(repeating: [], count: channels)
    for (index, place) in stride(from: body, to: body + size, by: 3).enumerated() {
      let value = Int32(truncatingIfNeeded: bytes.number(at: place, 3) << 8) >> 8
      frames[index % channels].append(Float(value) / 8_388_608)
    }
  }
}
