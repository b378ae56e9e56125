internal import CSodium

/// The library's start, once a process, and its way to forget.
enum Sodium {
  private static let isReady = csodium_start() == 0

  /// Starts the library; every way to a secret leads through here.
  static func start() throws(CryptoError) {
    guard isReady else { throw .unavailable(what: "a source of random numbers") }
  }

  /// Zeroes a copy of a secret before it goes; the compiler keeps it although nobody reads it again.
  static func zero(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { unsafe csodium_zero($0.baseAddress, $0.count) }
  }
}
