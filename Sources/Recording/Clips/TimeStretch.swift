internal import Glibc

/// Plays sound faster or slower at its own pitch (WSOLA: Verhelst and Roelands, 1993).
///
/// Pieces of 40 ms are laid over each other by half; the place of each next one is searched within 10 ms of where the
/// speed wants it, so that it goes on as the last one would have.
struct TimeStretch {
  private static let hop = 960
  private static let search = 480
  /// Frames that are compared: each fourth.
  private static let comparedStep = 4

  private let speed: Double
  private var input: [Float] = []
  /// Where the input's first frame stands.
  private var base = 0
  /// Where the speed wants the next piece.
  private var ideal = 0.0
  /// Where the last piece would go on; nil: none was laid yet.
  private var following: Int?
  /// The second half of the last piece, faded out.
  private var tail = [Float](repeating: 0, count: TimeStretch.hop)

  init(speed: Double) { self.speed = speed }

  /// Rises over half a piece; with its mirror image it makes 1.
  private static let rise: [Float] = (0..<hop).map {
    Float(0.5 - 0.5 * cos(Double.pi * (Double($0) + 0.5) / Double(hop)))
  }

  /// Adds sound, and takes what can be heard of it.
  mutating func add(_ pcm: [Float], onto result: inout [Float]) {
    guard speed != 1 else {
      result += pcm
      return
    }
    input += pcm
    while let place = nextPlace() { lay(place, onto: &result) }
    // What no piece can begin in any more.
    let needed = min(Int(ideal) - Self.search, following ?? .max)
    let passed = max(0, min(input.count, needed - base))
    if passed > 4 * Self.hop {
      input.removeFirst(passed)
      base += passed
    }
  }

  /// The sound is over: what is still inside.
  mutating func finish(onto result: inout [Float]) {
    guard speed != 1 else { return }
    let end = base + input.count
    input += [Float](repeating: 0, count: 3 * Self.hop)
    while Int(ideal) < end, let place = nextPlace() { lay(place, onto: &result) }
    if following != nil { result += tail }
  }

  /// Where the next piece is best taken from; nil: not enough is there.
  private func nextPlace() -> Int? {
    let middle = Int(ideal)
    guard middle + Self.search + 2 * Self.hop <= base + input.count else { return nil }
    guard let following else { return middle }
    var (best, bestLikeness) = (middle, -Float.infinity)
    for place in max(base, middle - Self.search)...(middle + Self.search) {
      let likeness = likeness(place, following)
      if likeness > bestLikeness { (best, bestLikeness) = (place, likeness) }
    }
    return best
  }

  private func likeness(_ one: Int, _ other: Int) -> Float {
    var (product, energy): (Float, Float) = (0, 1e-9)
    for offset in stride(from: 0, to: Self.hop, by: Self.comparedStep) {
      let value = input[one - base + offset]
      product += value * input[other - base + offset]
      energy += value * value
    }
    return product / energy.squareRoot()
  }

  private mutating func lay(_ place: Int, onto result: inout [Float]) {
    let start = place - base
    for index in 0..<Self.hop {
      let rise = following == nil ? 1 : Self.rise[index]
      result.append(tail[index] + input[start + index] * rise)
      tail[index] = input[start + Self.hop + index] * (1 - Self.rise[index])
    }
    following = place + Self.hop
    ideal += Double(Self.hop) * speed
  }
}
