internal import Glibc

/// What the loudspeakers' sound becomes in the microphone, learnt as it goes and taken off.
///
/// A partitioned Kalman filter in the frequency domain (Enzner and Vary, 2006) of 200 ms, for the sum and the
/// difference of two loudspeakers. Each bin of each partition has a weight and its variance: how wrong it may yet be.
/// That decides how fast it learns, and how much echo is left; so it learns fast at first and holds still while
/// somebody talks near the microphone.
final class EchoFilter {
  /// What it is like; found by `./dev bench voice`.
  private enum Shape {
    static let partitions = 20
    /// Blocks by which the echo may be late, the filter's own length not counted.
    static let mostLag = 50
    /// A weight's variance at first, and how much less each next partition has.
    static let (variance, decay): (Float, Float) = (1, 0.8)
    static let smoothing: Float = 0.8
    /// Partitions whose weights are kept to a block's length, each block.
    static let constrained = 4
    static let leastPower: Float = 1e-9
  }

  /// The sum, or the difference, of the two loudspeakers: what was played, and what is known of its way.
  struct Channel {
    let spectra: SpectrumRoom
    let power: FloatRoom
    let weights: SpectrumRoom
    let variance: FloatRoom
    let past: FloatRoom
    /// Blocks since it was heard; none of it is left in the filter once they are as many as it keeps.
    var quietBlocks = Int.max / 2
  }

  let blockFrames: Int
  let transform: RealTransform
  /// What is left of the echo, at most likely, in power per bin.
  let residual: FloatRoom
  /// What it takes to be echo in the last block.
  let estimate: FloatRoom
  /// The last block less that.
  let error: FloatRoom
  /// By how many blocks the echo is late, beyond which it is looked for.
  private(set) var lag = 0
  /// How often it began anew.
  private(set) var beginnings = 0
  private var channels: [Channel]
  /// How what is not known of the sum goes with what is not known of the difference.
  private let covariance: SpectrumRoom
  private let history = Shape.partitions + Shape.mostLag
  private var head = 0
  private let output: SpectrumRoom
  private let errorSpectrum: SpectrumRoom
  private let step: FloatRoom
  private let nearPower: FloatRoom
  private let signal: FloatRoom
  private var constrainedNext = 0
  private var truth = EchoTruth()
  private var finder: EchoDelayFinder

  init(blockFrames: Int, sampleRate: Int) {
    self.blockFrames = blockFrames
    var count = 16
    while count < 2 * blockFrames { count *= 2 }
    let transform = RealTransform(count: count)
    self.transform = transform
    let bins = transform.binCount
    residual = FloatRoom(count: bins)
    (estimate, error) = (FloatRoom(count: blockFrames), FloatRoom(count: blockFrames))
    let history = history
    channels = (0..<2).map { _ in
      Channel(
        spectra: SpectrumRoom(bins: bins, count: history),
        power: FloatRoom(count: bins * history),
        weights: SpectrumRoom(bins: bins, count: Shape.partitions),
        variance: FloatRoom(count: bins * Shape.partitions),
        past: FloatRoom(count: count))
    }
    covariance = SpectrumRoom(bins: bins, count: Shape.partitions)
    (output, errorSpectrum) = (SpectrumRoom(bins: bins), SpectrumRoom(bins: bins))
    (step, nearPower) = (FloatRoom(count: bins), FloatRoom(count: bins))
    signal = FloatRoom(count: count)
    finder = EchoDelayFinder(
      transform: transform, lags: Shape.mostLag, sampleRate: sampleRate)
    forget()
  }

  /// Begins anew.
  func forget() {
    beginnings += 1
    for channel in channels {
      channel.weights.clear()
      for partition in 0..<Shape.partitions { unlearn(channel, partition) }
    }
    covariance.clear()
  }

  private func unlearn(_ channel: Channel, _ partition: Int) {
    let bins = transform.binCount
    let range = partition * bins..<(partition + 1) * bins
    channel.weights.real.fill(0, range)
    channel.weights.imaginary.fill(0, range)
    channel.variance.fill(truth.prior * Shape.variance * powf(Shape.decay, Float(partition)), range)
  }

  /// Whether anything that was played may yet be heard.
  var isFarHeard: Bool { channels.contains { $0.quietBlocks < history } }

  /// Takes a block of the microphone and of both loudspeakers; then ``error`` and ``estimate`` are of this block.
  func run(_ microphone: Span<Float>, left: FloatRoom, right: FloatRoom) {
    head = head + 1 == history ? 0 : head + 1
    hear(0, left, right, sign: 1)
    hear(1, left, right, sign: -1)
    predict()
    for index in 0..<blockFrames { error[index] = microphone[index] - estimate[index] }
    judge(microphone)
    learn()
    if finder.hear(microphone, spectra: channels[0].spectra, power: channels[0].power, head: head),
      !isRight, let found = finder.lag(beyond: lag, partitions: Shape.partitions)
    {
      move(to: found)
    }
  }

  private func hear(_ index: Int, _ left: FloatRoom, _ right: FloatRoom, sign: Float) {
    let count = transform.count
    var loudest: Float = 0
    let past = channels[index].past
    for place in 0..<count - blockFrames { past[place] = past[place + blockFrames] }
    for place in 0..<blockFrames {
      let sample = 0.5 * (left[place] + sign * right[place])
      past[count - blockFrames + place] = sample
      loudest = max(loudest, abs(sample))
    }
    // Below -90 dBFS nothing is played.
    if loudest > 3e-5 {
      channels[index].quietBlocks = 0
    } else {
      channels[index].quietBlocks = min(channels[index].quietBlocks + 1, Int.max / 2)
    }
    let channel = channels[index]
    guard channel.quietBlocks < history + 4 else { return }
    transform.forward(past, into: channel.spectra, at: head)
    channel.spectra.power(head, into: channel.power, at: head)
  }

  /// Where in the history what a partition weighs begins.
  private func place(_ partition: Int) -> Int {
    (head - partition - lag + 2 * history) % history * transform.binCount
  }

  private func predict() {
    output.clear()
    for channel in channels where channel.quietBlocks < history {
      for partition in 0..<Shape.partitions {
        part(partition).addEcho(output, channel)
      }
    }
    transform.inverse(output, into: signal)
    let first = transform.count - blockFrames
    for index in 0..<blockFrames { estimate[index] = signal[first + index] }
  }

  /// Whether what it takes for echo is in the microphone, as far as can be told.
  var isRight: Bool { truth.isRight }

  /// What it takes for echo and is not in the microphone: then it begins anew.
  private func judge(_ microphone: Span<Float>) {
    guard truth.isFalse(microphone, estimate) else { return }
    forget()
    nearPower.fill(0)
    for index in 0..<blockFrames { (error[index], estimate[index]) = (microphone[index], 0) }
  }

  private func learn() {
    let count = transform.count
    for index in 0..<count - blockFrames { signal[index] = 0 }
    for index in 0..<blockFrames { signal[count - blockFrames + index] = error[index] }
    transform.forward(signal, into: errorSpectrum)
    residual.fill(0)
    let share = Float(blockFrames) / Float(count)
    let isStereo = channels[1].quietBlocks < history
    for partition in 0..<Shape.partitions {
      let part = part(partition)
      if isStereo {
        part.addResidual(residual, channels[0], channels[1], covariance, share)
      } else {
        part.addResidual(residual, channels[0], share)
      }
    }
    followNear(share)
    for partition in 0..<Shape.partitions {
      let part = part(partition)
      if isStereo {
        part.learn(channels[0], channels[1], covariance, errorSpectrum, step)
      } else {
        part.learn(channels[0], errorSpectrum, step)
      }
    }
    for channel in channels where channel.quietBlocks < history {
      for offset in 0..<Shape.constrained {
        constrain(channel, (constrainedNext + offset) % Shape.partitions)
      }
    }
    constrainedNext = (constrainedNext + Shape.constrained) % Shape.partitions
  }

  /// How far to go along an error: the less, the less echo there may yet be against what else is heard.
  private func followNear(_ share: Float) {
    let bins = transform.binCount
    let (out, near, left) = unsafe (
      step.part(0, bins), nearPower.part(0, bins), residual.part(0, bins)
    )
    let (re, im) = unsafe (errorSpectrum.real.part(0, bins), errorSpectrum.imaginary.part(0, bins))
    for bin in 0..<bins {
      let power = unsafe re[bin] * re[bin] + im[bin] * im[bin]
      unsafe near[bin] = max(
        Shape.smoothing * near[bin] + (1 - Shape.smoothing) * power, Shape.leastPower)
      unsafe out[bin] = share / (left[bin] + near[bin] + Shape.leastPower)
    }
  }

  private func part(_ partition: Int) -> EchoPartition {
    let bins = transform.binCount
    return EchoPartition(weights: partition * bins, history: place(partition), bins: bins)
  }

  /// A partition is no longer than a block.
  private func constrain(_ channel: Channel, _ partition: Int) {
    transform.inverse(channel.weights, at: partition, into: signal)
    for index in blockFrames..<transform.count { signal[index] = 0 }
    transform.forward(signal, into: channel.weights, at: partition)
  }

  /// The echo is otherwise late than it was; what is known of it moves along.
  private func move(to found: Int) {
    let (shift, bins) = (found - lag, transform.binCount)
    lag = found
    truth.prior = 1
    for channel in channels {
      for index in 0..<Shape.partitions {
        let partition = shift > 0 ? index : Shape.partitions - 1 - index
        guard (0..<Shape.partitions).contains(partition + shift) else {
          unlearn(channel, partition)
          continue
        }
        let (to, from) = (partition * bins, (partition + shift) * bins)
        for bin in 0..<bins {
          channel.weights.real[to + bin] = channel.weights.real[from + bin]
          channel.weights.imaginary[to + bin] = channel.weights.imaginary[from + bin]
          channel.variance[to + bin] = channel.variance[from + bin]
        }
      }
    }
    covariance.clear()
  }
}
