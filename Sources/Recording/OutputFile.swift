internal import Glibc
internal import System

/// A new file, written from beginning to end; never overwrites an existing one.
///
/// Collects what is appended and writes it in large pieces. Closed with the object. One thread at a time.
final class OutputFile: TrackOutput {
  /// Owner writes, group reads, nobody else.
  private static let mode: mode_t = 0o640
  private static let pieceBytes = 1 << 16
  /// Most bytes that wait to be written: a piece and one append.
  static let mostPendingBytes = 2 * pieceBytes

  let path: String
  private let descriptor: Int32
  private var pending: [UInt8] = []
  /// Where `pending` belongs.
  private var offset = 0

  /// Creates the file.
  ///
  /// - Parameters:
  ///   - name: within the folder.
  ///   - folder: an open directory.
  ///   - path: of the file, for words.
  /// - Throws: also where it exists.
  init(creating name: String, in folder: Int32, path: String) throws(RecordingError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    descriptor = Int32(
      try SystemCall.perform("create", path) {
        unsafe openat(folder, name, flags, Self.mode)
      })
    self.path = path
    pending.reserveCapacity(Self.mostPendingBytes)
  }

  deinit {
    _ = Glibc.close(descriptor)
  }

  /// Bytes so far, those that wait to be written among them.
  var byteCount: Int { offset + pending.count }

  /// Adds bytes at the end.
  func append(_ bytes: [UInt8]) throws(RecordingError) {
    pending += bytes
    if pending.count >= Self.pieceBytes { try write() }
  }

  /// Adds zeros, which take no room on the disk where the file system knows holes.
  func appendHole(byteCount: Int) throws(RecordingError) {
    try write()
    offset += byteCount
    try SystemCall.perform("write", path) { ftruncate(descriptor, off_t(offset)) }
  }

  /// Writes over the beginning; not longer than what is there.
  func overwriteStart(_ bytes: [UInt8]) throws(RecordingError) {
    try write(bytes, at: 0)
  }

  /// Hands what waits to the kernel.
  func write() throws(RecordingError) {
    try write(pending, at: offset)
    offset += pending.count
    pending.removeAll(keepingCapacity: true)
  }

  /// Waits until all that was written is on the disk.
  func sync() throws(RecordingError) {
    try write()
    try SystemCall.perform("write", path) { fdatasync(descriptor) }
  }

  private func write(_ bytes: [UInt8], at start: Int) throws(RecordingError) {
    var written = 0
    while written < bytes.count {
      written += try SystemCall.perform("write", path) {
        unsafe bytes.withUnsafeBytes { all in
          let rest = unsafe UnsafeRawBufferPointer(rebasing: all[written...])
          return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(start + written))
        }
      }
    }
  }
}

extension SystemCall {
  /// Makes a call that answers -1 and `errno`.
  ///
  /// - Throws: what was tried, where it fails.
  @discardableResult
  static func perform(
    _ attempt: String, _ path: String, _ call: () -> some BinaryInteger
  ) throws(RecordingError) -> Int {
    try perform({ RecordingError.system(attempt: attempt, path: path, errorNumber: $0) }, call)
  }
}

/// Where the octets of a track go, in their order.
protocol TrackOutput: AnyObject {
  /// For words.
  var path: String { get }
  /// What was appended so far.
  var byteCount: Int { get }
  /// Adds to the end.
  func append(_ bytes: [UInt8]) throws(RecordingError)
  /// Returns once all of it is kept.
  func sync() throws(RecordingError)
}
