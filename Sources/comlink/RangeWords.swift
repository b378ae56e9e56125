/// A range of whole numbers as help and messages name it.
extension ClosedRange<Double> {
  /// `-60…18`, or with other words between the limits.
  func words(joinedBy joint: String = "…") -> String {
    "\(Int(lowerBound))\(joint)\(Int(upperBound))"
  }
}
