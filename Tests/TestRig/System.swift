import Glibc
import System

/// The kernel's words for an errno value.
func systemMessage(_ code: Int32) -> String {
  errorWords(code)
}

/// Nanoseconds of CLOCK_MONOTONIC.
public func monotonicNanoseconds() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// Nanoseconds of JACK's clock, which a probe's time lines are in: CLOCK_MONOTONIC_RAW.
public func jackNanoseconds() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC_RAW, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// Lets the calling thread sleep; signals do not shorten it.
public func pause(seconds: Double) {
  var wanted = timespec(
    tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
  var rest = timespec()
  while unsafe nanosleep(&wanted, &rest) != 0 && errno == EINTR { wanted = rest }
}

/// Asks again every `interval` seconds until the answer is yes.
///
/// - Throws: `RigError.timeout` with what `detail` says at the end.
public func waitUntil(
  _ what: String, within seconds: Double, interval: Double = 0.02,
  detail: () -> String = { "" }, _ condition: () throws(RigError) -> Bool
) throws(RigError) {
  let end = monotonicNanoseconds() + Int64(seconds * 1e9)
  while try !condition() {
    guard monotonicNanoseconds() < end else {
      throw .timeout(waitingFor: what, seconds: seconds, detail: detail())
    }
    pause(seconds: interval)
  }
}

/// A small text file's whole content, /proc included; nil when it cannot be read.
func text(ofFile path: String) -> String? {
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = unsafe read(file, &part, part.count)
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
    bytes.append(contentsOf: part[..<count])
  }
}
