import Dispatch
import Glibc
import Synchronization
import System
import Testing

struct SystemCallTests {
  private struct Refused: Error, Equatable {
    let code: Int32
  }

  @Test
  func `an interrupted call is made again, until it answers`() {
    var calls = 0
    let result = SystemCall.result {
      calls += 1
      guard calls < 3 else { return 7 }
      errno = EINTR
      return -1
    }
    #expect(result == 7 && calls == 3)
  }

  @Test
  func `a call that fails is its error number, in the words of its caller`() {
    let call = { () -> Int in
      errno = ENOSPC
      return -1
    }
    #expect(SystemCall.code(SystemCall.result(call)) == ENOSPC)
    #expect(throws: Refused(code: ENOSPC)) { try SystemCall.perform(Refused.init, call) }
    #expect(SystemCall.code(3) == nil)
  }

  @Test
  func `all of a text is written, in as many calls as a full pipe takes`() {
    var ends: [Int32] = [-1, -1]
    #expect(unsafe pipe(&ends) == 0)
    let (reading, writing) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
    let read = Mutex<[UInt8]>([])
    // A thread of its own: a task would wait for one of the pool's, which writing holds up.
    let reader = DispatchQueue(label: "reader")
    reader.async {
      var part = [UInt8](repeating: 0, count: 4096)
      while read.withLock({ $0.count }) < bytes.count {
        let count = SystemCall.result { unsafe Glibc.read(reading.number, &part, part.count) }
        guard count > 0 else { break }
        read.withLock { $0 += part[..<count] }
      }
    }
    #expect(SystemCall.write(bytes, to: writing.number))
    reader.sync {}
    #expect(read.withLock { $0 } == bytes)
  }

  @Test
  func `what cannot be written is told`() {
    let full = Descriptor(owning: unsafe open("/dev/full", O_WRONLY | O_CLOEXEC))
    #expect(!SystemCall.write([1, 2, 3], to: full.number))
    #expect(SystemCall.write([], to: full.number))
  }

  @Test
  func `an error number has the system's words, whichever sign it has`() {
    #expect(errorWords(ENOSPC) == "No space left on device")
    #expect(errorWords(-ENOSPC) == errorWords(ENOSPC))
    #expect(errorWords(4711).contains("4711"))
    #expect("\(SystemError(attempt: "open x", errorNumber: EPERM))".hasPrefix("open x: "))
  }
}
