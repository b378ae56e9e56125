import Glibc

/// Measures where in its period the tone of `ToneCodec` is, ten times a second.
///
/// The slope of these phases is the pitch; a splice or a jump is a step in them.
public struct ToneMeter: Sendable {
  /// Duration that one phase is measured over, in seconds: whole periods of the tone.
  public static let blockSeconds = Double(19 * ToneCodec.toneFrames) / 48_000
  /// In seconds of the tone, unwrapped: how far it is ahead of a tone that began with the meter.
  public private(set) var leads: [Double] = []
  private let rate: Int
  private var inPhase: Float = 0
  private var quadrature: Float = 0
  private var frame = 0
  private var block = 0

  /// Makes a meter of sound with so many frames a second.
  public init(rate: Int) { self.rate = rate }

  /// Takes the next frame heard.
  public mutating func add(_ sample: Float) {
    if rate == 48_000 {
      inPhase += sample * ToneCodec.tone(at: Int64(frame))
      quadrature += sample * ToneCodec.tone(at: Int64(frame + ToneCodec.toneFrames / 4))
    } else {
      let turns = Double(frame) / Double(rate) * 48_000 / Double(ToneCodec.toneFrames)
      inPhase += sample * Float(sin(2 * .pi * turns))
      quadrature += sample * Float(cos(2 * .pi * turns))
    }
    frame += 1
    if Double(frame) >= Double(block + 1) * Self.blockSeconds * Double(rate) { close() }
  }

  /// By how much the tone was too high, in parts per million, over some blocks; by least squares.
  public func pitchPPM(blocks: Range<Int>) -> Double {
    let middle = Double(blocks.lowerBound + blocks.upperBound - 1) / 2
    var (product, spread) = (0.0, 0.0)
    for block in blocks {
      let distance = Double(block) - middle
      product += distance * leads[block]
      spread += distance * distance
    }
    return product / spread / Self.blockSeconds * 1e6
  }

  private mutating func close() {
    let period = Double(ToneCodec.toneFrames) / 48_000
    let turns = Double(atan2(quadrature, inPhase)) / (2 * .pi)
    let last = leads.last ?? 0
    let steps = (last / period - turns).rounded()
    leads.append((turns + steps) * period)
    (inPhase, quadrature) = (0, 0)
    block += 1
  }
}
