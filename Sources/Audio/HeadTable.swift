internal import CMySofa
internal import CRealtime
internal import Glibc

/// What sound from each direction becomes on its way to the ears of a head: short impulse responses, ready for the mix.
///
/// Measured of KEMAR, a manikin (MIT), which libmysofa brings. The way that all have in common is left out, so that
/// nothing is later than it must be; straight ahead it is as loud as in the middle of the pan.
public struct HeadTable: Sendable {
  /// What was measured: directions this far apart.
  public static let (azimuthStepDegrees, elevationStepDegrees) = (5, 10)
  /// How far down and up.
  public static let elevationsDegrees = -40.0...90.0
  /// Left, behind, and right.
  public static let azimuthsDegrees = -180.0...180.0

  /// Why there is none, in words.
  public struct Missing: Error, Sendable {
    /// What was tried and what to do.
    public let words: String

    /// In these words.
    public init(words: String) { self.words = words }
  }

  /// Where the library is looked for.
  public static let library = "libmysofa.so.1"
  /// The measurements.
  public static let file = "/usr/share/libmysofa/MIT_KEMAR_normal_pinna.sofa"

  private static let azimuthCount = 360 / azimuthStepDegrees
  private static let (lowest, highest) = (-40, 90)
  /// The last of so many taps fade away.
  private static let fadedShare = 8

  /// What it was made for.
  public let sampleRate: Int
  /// Of a response: as long as that of the ear away from the sound takes.
  let tapCount: Int
  /// By elevation, then by azimuth: the left ear's and the right ear's.
  private var taps: [Float]

  /// Reads the measurements; takes half a second.
  public init(
    sampleRate: Int, library: String = Self.library, file: String = Self.file
  ) throws(Missing) {
    var words = [CChar](repeating: 0, count: 200)
    let opened = unsafe words.withUnsafeMutableBufferPointer { words in
      unsafe cmysofa_open(
        library, file, Float(sampleRate), words.baseAddress, Int32(words.count))
    }
    guard let opened = unsafe opened else {
      let reason = String(
        decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw Missing(
        words: "places around the head need libmysofa (\(reason)); install the package libmysofa1")
    }
    defer { unsafe cmysofa_close(opened) }
    var whole = unsafe Measured(table: opened, sampleRate: sampleRate)
    let responses = Self.directions.map { direction in
      let (front, left, up) = Self.vector(direction.azimuth, direction.elevation)
      return whole.responses(front: front, left: left, up: up)
    }
    self.sampleRate = sampleRate
    let tapCount = sampleRate > 64_000 ? Int(RT_PLACE_TAPS) : Int(RT_PLACE_TAPS) / 2
    self.tapCount = tapCount
    let lead = responses.flatMap { [Self.onset($0.left), Self.onset($0.right)] }.min() ?? 0
    taps = responses.flatMap { left, right in
      Self.cut(left, from: lead, to: tapCount) + Self.cut(right, from: lead, to: tapCount)
    }
    let front = Self.index(azimuthDegrees: 0, elevationDegrees: 0)
    let factor = Self.middle / loudness(at: front)
    for index in taps.indices { taps[index] *= factor }
  }

  /// Lends the responses of a direction, the left ear's and the right ear's: the nearest that was measured.
  ///
  /// Allocates nothing.
  ///
  /// - Parameters:
  ///   - azimuthDegrees: 0 ahead, 90 right, -90 left.
  ///   - elevationDegrees: 0 level, 90 above.
  public func withResponses<Result>(
    azimuthDegrees: Double, elevationDegrees: Double,
    _ body: (_ left: Span<Float>, _ right: Span<Float>) -> Result
  ) -> Result {
    let index = Self.index(azimuthDegrees: azimuthDegrees, elevationDegrees: elevationDegrees)
    let (left, right) = ranges(at: index)
    return body(taps.span.extracting(left), taps.span.extracting(right))
  }

  /// A direction, rounded to one that was measured, degrees.
  public static func rounded(
    azimuthDegrees: Double, elevationDegrees: Double
  ) -> (azimuth: Double, elevation: Double) {
    let (azimuth, elevation) = steps(azimuthDegrees, elevationDegrees)
    let turned = azimuth > azimuthCount / 2 ? azimuth - azimuthCount : azimuth
    return (Double(turned * azimuthStepDegrees), Double(lowest + elevation * elevationStepDegrees))
  }

  private static func steps(_ azimuth: Double, _ elevation: Double) -> (Int, Int) {
    let level = min(Double(highest), max(Double(lowest), elevation)) - Double(lowest)
    let turn = azimuth.remainder(dividingBy: 360) / Double(azimuthStepDegrees)
    let step = Int(turn.rounded())
    return (
      (step + azimuthCount) % azimuthCount, Int((level / Double(elevationStepDegrees)).rounded())
    )
  }

  private static func index(azimuthDegrees: Double, elevationDegrees: Double) -> Int {
    let (azimuth, elevation) = steps(azimuthDegrees, elevationDegrees)
    return elevation * azimuthCount + azimuth
  }

  private func ranges(at index: Int) -> (left: Range<Int>, right: Range<Int>) {
    let start = 2 * index * tapCount
    let middle = start + tapCount
    return (start..<middle, middle..<middle + tapCount)
  }
}

/// How it is made.
extension HeadTable {
  /// What each ear has of a sound in the middle of the pan.
  private static let middle = Float(0.5).squareRoot()
  /// What speech is understood by.
  private static let (lowHertz, highHertz, measuredTones) = (300.0, 4000.0, 16)

  private static var directions: [(azimuth: Int, elevation: Int)] {
    stride(from: lowest, through: highest, by: elevationStepDegrees).flatMap { elevation in
      stride(from: 0, to: 360, by: azimuthStepDegrees).map { ($0, elevation) }
    }
  }

  /// To the front, the left, and up.
  private static func vector(_ azimuth: Int, _ elevation: Int) -> (Float, Float, Float) {
    let (turn, rise) = (Double(azimuth) * .pi / 180, Double(elevation) * .pi / 180)
    return (Float(cos(rise) * cos(turn)), Float(-cos(rise) * sin(turn)), Float(sin(rise)))
  }

  /// The first frame of a response that is more than what is before every response.
  private static func onset(_ response: [Float]) -> Int {
    let peak = response.reduce(0) { max($0, abs($1)) }
    let first = response.firstIndex { abs($0) > 0.1 * peak } ?? 0
    return max(0, first - 4)
  }

  private static func cut(_ response: [Float], from lead: Int, to tapCount: Int) -> [Float] {
    let fadedTaps = tapCount / fadedShare
    var taps = [Float](repeating: 0, count: tapCount)
    for index in 0..<min(tapCount, response.count - lead) { taps[index] = response[lead + index] }
    for index in 0..<fadedTaps {
      let share = Float(fadedTaps - index) / Float(fadedTaps + 1)
      taps[tapCount - fadedTaps + index] *= share * share * (3 - 2 * share)
    }
    return taps
  }

  /// What an ear has on average of what speech is understood by, as a factor.
  private func loudness(at index: Int) -> Float {
    let (left, right) = ranges(at: index)
    var power = 0.0
    for tone in 0..<Self.measuredTones {
      let share = Double(tone) / Double(Self.measuredTones - 1)
      let hertz = Self.lowHertz * pow(Self.highHertz / Self.lowHertz, share)
      for range in [left, right] {
        var (real, imaginary) = (0.0, 0.0)
        for (frame, tap) in taps[range].enumerated() {
          let phase = 2 * .pi * hertz * Double(frame) / Double(sampleRate)
          real += Double(tap) * cos(phase)
          imaginary += Double(tap) * sin(phase)
        }
        power += real * real + imaginary * imaginary
      }
    }
    return Float((power / Double(2 * Self.measuredTones)).squareRoot())
  }
}

/// The measurements, while they are read.
@safe private struct Measured {
  private let table: OpaquePointer
  private let sampleRate: Int
  private var (left, right): ([Float], [Float])

  init(table: OpaquePointer, sampleRate: Int) {
    unsafe self.table = unsafe table
    self.sampleRate = sampleRate
    left = [Float](repeating: 0, count: unsafe Int(cmysofa_frames(table)))
    right = left
  }

  /// The whole responses of a direction, delays included.
  mutating func responses(front: Float, left x: Float, up: Float) -> (left: [Float], right: [Float])
  {
    var (leftDelay, rightDelay): (Float, Float) = (0, 0)
    unsafe left.withUnsafeMutableBufferPointer { left in
      unsafe right.withUnsafeMutableBufferPointer { right in
        guard let first = left.baseAddress, let second = right.baseAddress else { return }
        unsafe cmysofa_filter(table, front, x, up, first, second, &leftDelay, &rightDelay)
      }
    }
    return (delayed(left, leftDelay), delayed(right, rightDelay))
  }

  private func delayed(_ response: [Float], _ seconds: Float) -> [Float] {
    let frames = Int(max(0, min(0.01, seconds)) * Float(sampleRate))
    return [Float](repeating: 0, count: frames) + response
  }
}

extension AudioEngine {
  /// Has a slot be heard from a direction in place of its pan, cross-faded. [loop]
  public func setPlace(
    azimuthDegrees: Double, elevationDegrees: Double, of table: HeadTable, for slot: PeerSlot
  ) {
    table.withResponses(
      azimuthDegrees: azimuthDegrees, elevationDegrees: elevationDegrees
    ) { left, right in
      unsafe left.withUnsafeBufferPointer { left in
        unsafe right.withUnsafeBufferPointer { right in
          unsafe rt_peer_set_place(
            handle, slot.number, left.baseAddress, right.baseAddress, UInt32(left.count))
        }
      }
    }
  }

  /// Has a slot be heard by its pan again, cross-faded. [loop]
  public func clearPlace(of slot: PeerSlot) {
    unsafe rt_peer_set_place(handle, slot.number, nil, nil, 0)
  }
}
