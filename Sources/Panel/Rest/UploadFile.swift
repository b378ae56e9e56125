internal import Glibc
internal import Synchronization
internal import System

/// A file without a name that an upload is written into; it is gone with this value, and after a kill.
///
/// Any thread.
final class UploadFile: Sendable {
  private let directory: String
  private let opened = Mutex<Descriptor?>(nil)

  /// It is made once something is written, by whoever may wait for a disk.
  init(in directory: String) { self.directory = directory }

  private func descriptor() throws(UploadFailure) -> Descriptor {
    try opened.withLock { opened throws(UploadFailure) in
      if let opened { return opened }
      let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
      let name = "\(directory)/upload-\(getpid())-\(UInt64.random(in: .min ... .max))"
      let file = try SystemCall.perform(UploadFailure.init) { unsafe open(name, flags, 0o600) }
      let descriptor = Descriptor(owning: Int32(file))
      _ = try SystemCall.perform(UploadFailure.init) { unsafe unlink(name) }
      opened = descriptor
      return descriptor
    }
  }

  /// Writes all of it at an offset.
  func write(_ octets: [UInt8], at offset: Int) throws(UploadFailure) {
    let descriptor = try descriptor()
    var written = 0
    while written < octets.count {
      let done = written
      let count = unsafe octets.withUnsafeBytes { all in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[done...])
        return SystemCall.result {
          unsafe pwrite(descriptor.number, rest.baseAddress, rest.count, off_t(offset + done))
        }
      }
      guard count > 0 else { throw UploadFailure(errorNumber: SystemCall.code(count) ?? EIO) }
      written += count
    }
  }

  /// All of it.
  func read(byteCount: Int) throws(UploadFailure) -> [UInt8] {
    let descriptor = try descriptor()
    var octets = [UInt8](repeating: 0, count: byteCount)
    var have = 0
    while have < byteCount {
      let done = have
      let count = unsafe octets.withUnsafeMutableBytes { all in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: all[done...])
        return SystemCall.result {
          unsafe pread(descriptor.number, rest.baseAddress, rest.count, off_t(done))
        }
      }
      guard count > 0 else { throw UploadFailure(errorNumber: SystemCall.code(count) ?? EIO) }
      have += count
    }
    return octets
  }
}

/// Why an upload cannot be written or read.
struct UploadFailure: Error {
  let errorNumber: Int32

  init(errorNumber: Int32) { self.errorNumber = errorNumber }

  /// The same for the one who uploads.
  var fault: RestFault {
    switch errorNumber {
    case ENOSPC, EDQUOT, EFBIG:
      RestFault(.noRoom, "the node's disk is full; make room, then upload again")
    default:
      RestFault(
        .failed, "the node cannot keep the upload: \(errorWords(errorNumber)); try again later")
    }
  }
}
