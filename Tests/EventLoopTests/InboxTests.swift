import CUring
import Glibc
import Testing

/// The C queue against a plain array, one thread; the executor's stress test has the threads.
struct InboxTests {
  @Test(arguments: [2, 8, 64])
  func `a queue gives back what was left in it, in order, and refuses when it is full`(
    capacity: Int
  ) throws {
    var handle: OpaquePointer?
    try #require(unsafe uring_inbox_create(&handle, UInt32(capacity)) == 0)
    defer { unsafe uring_inbox_destroy(handle) }
    var generator = SystemRandomNumberGenerator()
    var model: [UInt64] = []
    var next: UInt64 = 1
    for _ in 0..<10_000 {
      if Bool.random(using: &generator) {
        let isTaken = unsafe uring_inbox_push(handle, next)
        #expect(isTaken == (model.count < capacity))
        if isTaken { model.append(next) }
        next += 1
      } else {
        var job: UInt64 = 0
        let hasJob = unsafe uring_inbox_pop(handle, &job)
        #expect(hasJob == !model.isEmpty)
        if hasJob { #expect(job == model.removeFirst()) }
      }
    }
  }

  @Test(arguments: [0, 1, 3, 100])
  func `a capacity that is no power of two is refused`(capacity: Int) {
    var handle: OpaquePointer?
    #expect(unsafe uring_inbox_create(&handle, UInt32(capacity)) == -EINVAL)
  }

  @Test
  func `many pushes signal once, until the loop looks`() throws {
    var handle: OpaquePointer?
    try #require(unsafe uring_inbox_create(&handle, 64) == 0)
    defer { unsafe uring_inbox_destroy(handle) }
    let descriptor = unsafe uring_inbox_wake_fd(handle)
    for round in 1...3 {
      for job in 1...10 { #expect(unsafe uring_inbox_push(handle, UInt64(round * 100 + job))) }
      var value: UInt64 = 0
      #expect(unsafe read(descriptor, &value, 8) == 8)
      #expect(value == 1 << 32)
      unsafe uring_inbox_open(handle)
      var job: UInt64 = 0
      while unsafe uring_inbox_pop(handle, &job) {}
    }
  }

  @Test
  func `the loop's own jobs need no signal and always fit`() throws {
    var handle: OpaquePointer?
    try #require(unsafe uring_inbox_create(&handle, 2) == 0)
    defer { unsafe uring_inbox_destroy(handle) }
    #expect(unsafe !uring_inbox_is_current(handle))
    let previous = unsafe uring_inbox_enter(handle)
    defer { _ = unsafe uring_inbox_enter(previous) }
    #expect(unsafe uring_inbox_is_current(handle))
    for job in 0..<1000 { #expect(unsafe uring_inbox_push(handle, UInt64(job))) }
    var job: UInt64 = 0
    for expected in 0..<1000 {
      #expect(unsafe uring_inbox_has_own(handle))
      #expect(unsafe uring_inbox_pop(handle, &job))
      #expect(job == UInt64(expected))
    }
    #expect(unsafe !uring_inbox_has_own(handle))
  }
}
