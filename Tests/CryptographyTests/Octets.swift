/// The octets of a hexadecimal text; blanks and line ends between digits do not count.
func octets(_ hexadecimal: String) -> [UInt8] {
  let digits = hexadecimal.compactMap { $0.hexDigitValue }
  precondition(digits.count % 2 == 0)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
