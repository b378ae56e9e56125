internal import ArgumentParser

/// A number with an optional sign, which may be a typographic minus.
struct SignedNumber: ExpressibleByArgument {
  let value: Double

  init?(argument: String) {
    let plain = argument.first == NegativeNumber.minus ? "-" + argument.dropFirst() : argument
    guard let value = Double(plain), value.isFinite else { return nil }
    self.value = value
  }
}
