/// Something that `--fix` may do: it takes nothing away, and can be taken back.
enum Repair: Hashable, Sendable {
  /// Sets a value of the kernel's, until the next start.
  case set(path: String, value: String)
  /// Makes a file; one that is there already is left alone.
  case create(path: String, contents: String)
  /// Switches the power save of a radio off, until the next start.
  case keepRadioAwake(interface: String, index: UInt32)
}
