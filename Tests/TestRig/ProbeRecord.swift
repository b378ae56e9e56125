import CProbe
import Foundation

/// What a probe logged and recorded, as it comes from its process.
struct ProbeRecord: Sendable {
  var periods: [rig_period] = []
  /// One array per input.
  var recordings: [[Float]] = []

  /// Nothing.
  init() {}

  /// Takes a saved file apart: the log, then the inputs one after the other.
  init(_ data: Data, periods count: Int, frames: Int, inputs: Int) {
    let logBytes = count * MemoryLayout<rig_period>.stride
    let inputBytes = frames * MemoryLayout<Float>.stride
    guard data.count == logBytes + inputs * inputBytes else { return }
    periods = Self.array(data, from: 0, bytes: logBytes, of: rig_period())
    recordings = (0..<inputs).map {
      Self.array(data, from: logBytes + $0 * inputBytes, bytes: inputBytes, of: Float(0))
    }
  }

  private static func array<Element: BitwiseCopyable>(
    _ data: Data, from offset: Int, bytes: Int, of blank: Element
  ) -> [Element] {
    var result = [Element](repeating: blank, count: bytes / MemoryLayout<Element>.stride)
    let range = data.startIndex + offset..<data.startIndex + offset + bytes
    _ = unsafe result.withUnsafeMutableBytes { unsafe data.copyBytes(to: $0, from: range) }
    return result
  }
}
