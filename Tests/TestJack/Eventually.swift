/// Polls until the condition holds, for a minute at most.
///
/// A bound for a busy machine, not a measure.
public func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
  for _ in 0..<1200 {
    if try condition() { return true }
    try? await Task.sleep(for: .milliseconds(50))
  }
  return false
}
