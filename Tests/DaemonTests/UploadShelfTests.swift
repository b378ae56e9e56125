import Testing

@testable import NodeDaemon

/// Files that `comlink voice-message send` uploads, several at once.
@Suite(.timeLimit(.minutes(1))) struct UploadShelfTests {
  @Test func `a file too many waits for room, and takes that of no other`() async throws {
    let shelf = UploadShelf()
    let names = ["a", "b", "c", "d"]
    for name in names { try await shelf.add([1], at: 0, to: name) }
    async let late: Void = shelf.add([5], at: 0, to: "e")
    for name in names { try await shelf.add([2], at: 1, to: name) }
    #expect(try await shelf.take("a") == [1, 2])
    try await late
    for name in names.dropFirst() { #expect(try await shelf.take(name) == [1, 2]) }
    #expect(try await shelf.take("e") == [5])
  }

  @Test func `a part that is missing, or a file that is not there, is told in words`()
    async throws
  {
    let shelf = UploadShelf()
    try await shelf.add([1], at: 0, to: "a")
    for name in ["a", "b"] {
      await #expect {
        try await shelf.add([1], at: 2, to: name)
      } throws: { error in
        "\(error)".contains("send it again")
      }
    }
    #expect(try await shelf.take("a") == [1])
    await #expect(throws: (any Error).self) { try await shelf.take("a") }
  }
}
