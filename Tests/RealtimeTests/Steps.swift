/// How long a peer fades in when it begins or comes back, in frames.
let fadeInFrames = 64

/// How long a peer fades out when its ring runs dry, in frames.
let fadeOutFrames = 32

/// The largest step between frames that a fade of this length makes of a constant level: p²(3 - 2p) is steepest in the
/// middle, 1.5 times the mean.
func steepest(level: Float, fadeFrames: Int) -> Float {
  1.5 * level / Float(fadeFrames) * 1.001
}

/// The largest difference between neighbouring frames.
func largestStep(_ frames: [Float]) -> Float {
  zip(frames, frames.dropFirst()).reduce(0) { max($0, abs($1.0 - $1.1)) }
}
