import Foundation

/// A tone as a WAV file: 16 bits, mono, 48 kHz.
enum ToneFile {
  static func write(_ path: String, seconds: Double) throws {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let frames = Int(48_000 * seconds)
    var bytes = Array("RIFF".utf8) + little(36 + 2 * frames, 4) + Array("WAVEfmt ".utf8)
    bytes += little(16, 4) + little(1, 2) + little(1, 2) + little(48_000, 4) + little(96_000, 4)
    bytes += little(2, 2) + little(16, 2) + Array("data".utf8) + little(2 * frames, 4)
    for index in 0..<frames { bytes += little(Int(9000 * sin(Double(index) / 17)), 2) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}
