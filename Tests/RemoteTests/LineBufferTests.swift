import Testing

@testable import Remote

@Suite struct LineBufferTests {
  @Test(arguments: [1, 2, 3, 5, 100])
  func `lines come out whole however the bytes come in`(step: Int) {
    var buffer = LineBuffer(limitBytes: 8)
    var lines: [String] = []
    let bytes = Array("one\n\ntwo\nthree678\nrest".utf8)
    for start in stride(from: 0, to: bytes.count, by: step) {
      buffer.append(bytes[start..<min(start + step, bytes.count)])
      while case .line(let line) = buffer.next() {
        lines.append(String(decoding: line, as: UTF8.self))
      }
    }
    #expect(lines == ["one", "", "two", "three678"])
    #expect(buffer.rest() == .line(Array("rest".utf8)))
    #expect(buffer.rest() == .nothing)
  }

  @Test func `a line is too long with or without its end`() {
    var buffer = LineBuffer(limitBytes: 3)
    buffer.append(Array("abc".utf8))
    #expect(buffer.next() == .nothing)
    buffer.append(Array("d".utf8))
    #expect(buffer.next() == .tooLong)
    var ended = LineBuffer(limitBytes: 3)
    ended.append(Array("abcd\n".utf8))
    #expect(ended.next() == .tooLong)
  }
}
