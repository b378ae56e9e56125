import Glibc
import Testing

@testable import Store

@Suite struct ReplaceTests {
  private static let (old, new) = ([UInt8]("old".utf8), [UInt8]("the new".utf8))
  /// Create, two writes, sync, rename, directory.
  private static let steps = 6

  @Test func `a file is replaced, and nothing is left beside it`() throws {
    let disk = ModelDisk(["file": Self.old])
    try unsafe disk.replace("file", with: Self.new.span.bytes)
    #expect(disk.steps == Self.steps)
    #expect(disk.possibleRemains == [["file": Self.new]])
  }

  @Test(arguments: 0..<steps)
  func `wherever the power is cut, the old or the new is found whole`(step: Int) {
    let disk = ModelDisk(["file": Self.old], atStep: step)
    #expect(throws: StoreError.self) {
      try unsafe disk.replace("file", with: Self.new.span.bytes)
    }
    for remains in disk.possibleRemains {
      #expect(
        remains["file"] == Self.old || (step == Self.steps - 1 && remains["file"] == Self.new))
    }
  }

  @Test(arguments: 0..<steps, [ENOSPC, EROFS, EIO])
  func `wherever it fails, the old stays until the new is whole`(step: Int, code: Int32) {
    let disk = ModelDisk(["file": Self.old], fault: .fails(code), atStep: step)
    let error = #expect(throws: StoreError.self) {
      try unsafe disk.replace("file", with: Self.new.span.bytes)
    }
    #expect(error == .system(attempt: "write", path: "/model", code: code))
    #expect(disk.files == ["file": step == Self.steps - 1 ? Self.new : Self.old])
  }

  /// What the steps are for: without the first sync the model finds a torn file under the name.
  @Test func `a disk that is not synced is found torn`() throws {
    let disk = ModelDisk(["file": Self.old])
    let file = try disk.create("file.new")
    try unsafe disk.write(Self.new.span.bytes, to: file, "file.new")
    try disk.rename("file.new", to: "file")
    #expect(disk.possibleRemains.contains(["file": [0, 0, 0, 0, 0, 0, 0]]))
  }
}
