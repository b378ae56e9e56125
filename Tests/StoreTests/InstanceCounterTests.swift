import Glibc
import Testing

@testable import Store

@Suite struct InstanceCounterTests {
  private static let now: Int64 = 1_800_000_000
  private static let unset: Int64 = 1_000

  private func next(
    _ disk: ModelDisk, isKnown: Bool = true, at time: Int64 = now
  ) throws(StoreError) -> UInt64 {
    try InstanceCounter(disk: disk).next(isKnown: isKnown, unixSeconds: time)
  }

  /// A disk after so many starts in order.
  private func disk(starts: Int) throws -> ModelDisk {
    let disk = ModelDisk()
    for start in 0..<starts { _ = try next(disk, isKnown: start > 0) }
    return disk
  }

  @Test func `starts are counted from 1, whatever the clock says`() throws {
    let disk = ModelDisk()
    #expect(try next(disk, isKnown: false, at: Self.unset) == 1)
    for number in 2...6 as ClosedRange<UInt64> { #expect(try next(disk, at: Self.unset) == number) }
  }

  @Test(arguments: 1...4)
  func `a number is safe before it is used`(starts: Int) throws {
    let disk = try disk(starts: starts)
    for remains in disk.possibleRemains {
      #expect(try next(ModelDisk(remains)) == UInt64(starts) + 1)
    }
  }

  /// Cuts the power in one start, at any step and with anything that may remain; then in the next one, too.
  @Test(arguments: 0...4, 0..<12)
  func `after two power cuts in a row no number comes again`(starts: Int, step: Int) throws {
    let before = try disk(starts: starts)
    let first = ModelDisk(before.files, atStep: step)
    let used = (try? next(first, isKnown: starts > 0)) ?? UInt64(starts)
    for remains in first.possibleRemains {
      for secondStep in 0..<12 {
        let second = ModelDisk(remains, atStep: secondStep)
        let usedThen = (try? next(second)) ?? used
        #expect(usedThen == used || usedThen > used)
        for left in second.possibleRemains { #expect(try next(ModelDisk(left)) > usedThen) }
      }
    }
  }

  @Test(arguments: ["instance-a", "instance-b"], 1...5)
  func `one copy may rot in any octet, or go, again and again`(name: String, starts: Int) throws {
    let whole = try disk(starts: starts).files
    let file = try #require(whole[name])
    var damaged: [[UInt8]?] = [nil, [], Array(file.dropLast()), file + [0]]
    for index in file.indices {
      var flipped = file
      flipped[index] ^= 0x40
      damaged.append(flipped)
    }
    for octets in damaged {
      var files = whole
      var last = UInt64(starts)
      for _ in 0..<3 {
        files[name] = octets
        let disk = ModelDisk(files)
        let number = try next(disk, at: Self.unset)
        #expect(number > last)
        (files, last) = (disk.files, number)
      }
    }
  }

  @Test func `with both copies lost the clock goes on, and after it the count`() throws {
    let disk = ModelDisk(["instance-a": [1], "instance-b": [2]])
    #expect(try next(disk) == UInt64(Self.now))
    #expect(try next(disk, at: Self.unset) == UInt64(Self.now) + 1)
  }

  @Test func `with both copies lost and no clock there is no number`() {
    let lost = StoreError.instanceLost(path: "/model/instance-a")
    #expect(throws: lost) { try next(ModelDisk(), at: Self.unset) }
    let damaged = ModelDisk(["instance-a": [1]])
    #expect(throws: lost) { try next(damaged, isKnown: false, at: Self.unset) }
  }
}
