/// The last that was said on each line, in memory only.
///
/// Silence is left out but for a breath, so that what is kept is words: at most ``seconds`` of them a line. A line's
/// memory is had when somebody is heard there, and given back once nothing was for ``keptNanoseconds``.
///
/// Sans-I/O: pieces and times in, sound out.
public struct AgainMemory {
  /// What is kept of a line, at most.
  public static let seconds = 15
  /// After that the last word of a line is forgotten.
  public static let keptNanoseconds: Int64 = 600_000_000_000
  /// Frames a second that are kept at most: streams have no more.
  private static let mostRate = 48_000
  /// What is left of a pause.
  private static let breathSeconds = 0.3

  /// The sound of a line.
  private struct Ring {
    let sampleRate: Int
    private var samples: [Int16]
    /// Frames so far.
    private(set) var end: Int64 = 0
    /// From positions on the time line to those of frames here.
    private var offset: Int64?
    var heardNanoseconds: Int64

    init(sampleRate: Int, nowNanoseconds now: Int64) {
      (self.sampleRate, heardNanoseconds) = (sampleRate, now)
      samples = [Int16](repeating: 0, count: AgainMemory.seconds * sampleRate)
    }

    private var breath: Int64 { Int64(Double(sampleRate) * AgainMemory.breathSeconds) }

    /// Adds frames, beside those of others who talked at the same time.
    mutating func add(_ pcm: Span<Float>, at position: Int64, step: Int) {
      let frames = Int64((pcm.count + step - 1) / step)
      var start = position / Int64(step) + (offset ?? -position / Int64(step))
      if offset == nil || start > end + breath || start < end - 4 * breath {
        // After a pause, or on a time line that begins anew.
        start = end == 0 ? 0 : end + (start > end ? breath : 0)
        offset = start - position / Int64(step)
      }
      start = max(0, start)
      clear(until: start + frames)
      var place = Int(start % Int64(samples.count))
      var kept = samples.mutableSpan
      for index in stride(from: 0, to: pcm.count, by: step) {
        kept[place] = Int16(clamping: Int(kept[place]) + Int(Self.sample(pcm[index])))
        place += 1
        if place == kept.count { place = 0 }
      }
      end = max(end, start + frames)
    }

    /// Makes room for frames up to a position.
    private mutating func clear(until position: Int64) {
      guard position > end else { return }
      let count = min(Int(position - end), samples.count)
      var place = Int(end % Int64(samples.count))
      var kept = samples.mutableSpan
      for _ in 0..<count {
        kept[place] = 0
        place += 1
        if place == kept.count { place = 0 }
      }
    }

    private static func sample(_ value: Float) -> Int16 {
      guard value.isFinite else { return 0 }
      return Int16(max(-32_767, min(32_767, value * 32_767)))
    }

    /// The last seconds of it.
    func last(_ seconds: Double) -> [Float] {
      let count = min(end, Int64(samples.count), Int64(seconds * Double(sampleRate)))
      return (end - count..<end).map { Float(samples[Int($0 % Int64(samples.count))]) / 32_767 }
    }
  }

  private var rings: [Int: Ring] = [:]

  /// Nothing was said.
  public init() {}

  /// Takes what was heard.
  public mutating func take(_ head: AgainQueue.Head, _ pcm: Span<Float>, nowNanoseconds now: Int64)
  {
    guard head.sampleRate > 0 else { return }
    let step = max(1, head.sampleRate / Self.mostRate)
    let rate = head.sampleRate / step
    var rest = head.places
    while rest != 0 {
      let place = rest.trailingZeroBitCount
      rest &= rest - 1
      if rings[place]?.sampleRate != rate {
        rings[place] = Ring(sampleRate: rate, nowNanoseconds: now)
      }
      rings[place]?.heardNanoseconds = now
      rings[place]?.add(pcm, at: head.position, step: step)
    }
  }

  /// Keeps nothing of lines but of those at these places, and nothing that is too old.
  public mutating func keep(_ isKept: (Int) -> Bool, nowNanoseconds now: Int64) {
    rings = rings.filter { place, ring in
      isKept(place) && now - ring.heardNanoseconds < Self.keptNanoseconds
    }
  }

  /// The place that was heard last; nil: none.
  public var latestPlace: Int? {
    rings.max { $0.value.heardNanoseconds < $1.value.heardNanoseconds }?.key
  }

  /// The last seconds of a line at another sample rate; empty: nothing was said.
  public func last(_ seconds: Double, at place: Int, sampleRate: Int) -> [Float] {
    guard let ring = rings[place] else { return [] }
    let pcm = ring.last(seconds)
    guard ring.sampleRate != sampleRate, let last = pcm.last else { return pcm }
    let ratio = Double(ring.sampleRate) / Double(sampleRate)
    return (0..<pcm.count * sampleRate / ring.sampleRate).map { index in
      let place = Double(index) * ratio
      let (first, share) = (Int(place), Float(place - place.rounded(.down)))
      let next = first + 1 < pcm.count ? pcm[first + 1] : last
      return pcm[first] + share * (next - pcm[first])
    }
  }

  /// Octets that it takes.
  public var byteCount: Int {
    rings.values.reduce(0) { $0 + Self.seconds * $1.sampleRate * MemoryLayout<Int16>.size }
  }
}
