internal import Glibc

/// The step of a gated recurrent unit, which the networks share.
///
/// Cho and others, 2014, with the reset behind the layer's own weights.
enum GatedRecurrence {
  /// Moves what a layer remembers by what it is given and what its own weights make of it: update, reset and fresh,
  /// as many values of each as it remembers.
  static func advance(_ hidden: inout [Float], given: [Float], own: [Float]) {
    let count = hidden.count
    for index in 0..<count {
      let update = sigmoid(given[index] + own[index])
      let reset = sigmoid(given[count + index] + own[count + index])
      let fresh = tanhf(given[2 * count + index] + reset * own[2 * count + index])
      hidden[index] = update * hidden[index] + (1 - update) * fresh
    }
  }

  static func sigmoid(_ value: Float) -> Float { 1 / (1 + expf(-value)) }
}
