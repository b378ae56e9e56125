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

  /// A disk after so many starts in order, and the last one's number.
  private func disk(
    starts: Int, at time: Int64 = unset
  ) throws -> (disk: ModelDisk, last: UInt64) {
    let disk = ModelDisk()
    var last: UInt64 = 0
    for start in 0..<starts { last = try next(disk, isKnown: start > 0, at: time) }
    return (disk, last)
  }

  @Test func `without a clock starts are counted from 1`() throws {
    let disk = ModelDisk()
    #expect(try next(disk, isKnown: false, at: Self.unset) == 1)
    for number in 2...6 as ClosedRange<UInt64> { #expect(try next(disk, at: Self.unset) == number) }
  }

  @Test func `with a clock the number is its seconds, or more`() throws {
    let disk = ModelDisk()
    #expect(try next(disk, isKnown: false, at: Self.unset) == 1)
    for (time, number) in [(0, 0), (7, 7), (7, 8), (3, 9), (20, 20)] as [(Int64, UInt64)] {
      #expect(try next(disk, at: Self.now + time) == UInt64(Self.now) + number)
    }
    #expect(try next(disk, at: Self.unset) == UInt64(Self.now) + 21)
  }

  @Test(arguments: [unset, now], 0...4)
  func `a directory from a backup goes on above what others remember`(
    time: Int64, startsBefore: Int
  ) throws {
    let (disk, _) = try disk(starts: startsBefore, at: time)
    let backup = disk.files
    var last: UInt64 = 0
    for start in 1...5 { last = try next(disk, at: Self.now + Int64(start) * 60) }
    #expect(try next(ModelDisk(backup), at: Self.now + 600) > last)
  }

  @Test(arguments: [unset, now], 1...4)
  func `a number is safe before it is used`(time: Int64, starts: Int) throws {
    let (disk, last) = try disk(starts: starts, at: time)
    for remains in disk.possibleRemains {
      #expect(try next(ModelDisk(remains), at: Self.unset) == last + 1)
    }
  }

  /// Cuts the power in one start, at any step and with anything that may remain; then in the next one, too.
  @Test(arguments: 0...4, 0..<12)
  func `after two power cuts in a row no number comes again`(starts: Int, step: Int) throws {
    for times in [
      [Self.unset, Self.unset, Self.unset, Self.unset],
      [Self.unset, Self.now, Self.unset, Self.unset],
      [Self.unset, Self.unset, Self.now, Self.unset],
      [Self.now, Self.now + 9, Self.now + 18, Self.unset],
      [Self.now, Self.unset, Self.now, Self.now],
    ] {
      let (before, last) = try disk(starts: starts, at: times[0])
      let first = ModelDisk(before.files, atStep: step)
      let used = (try? next(first, isKnown: starts > 0, at: times[1])) ?? last
      for remains in first.possibleRemains {
        for secondStep in 0..<12 {
          let second = ModelDisk(remains, atStep: secondStep)
          let number = try? next(second, isKnown: used > 0, at: times[2])
          if let number { #expect(number > used) }
          for left in second.possibleRemains {
            let third = try next(ModelDisk(left), isKnown: (number ?? used) > 0, at: times[3])
            #expect(third > number ?? used)
          }
        }
      }
    }
  }

  /// The clock is set at one start and not at the next, so what the copies have could lie far apart.
  @Test(arguments: ["instance-a", "instance-b"], 1...3)
  func `one copy may rot after the clock was set`(name: String, starts: Int) throws {
    let (disk, _) = try disk(starts: starts)
    for time in [Self.now, Self.unset, Self.unset, Self.now + 99, Self.now + 99] {
      let last = try next(disk, at: time)
      var files = disk.files
      files[name] = [1]
      #expect(try next(ModelDisk(files), at: Self.unset) > last)
    }
  }

  @Test(arguments: ["instance-a", "instance-b"], 1...5)
  func `one copy may rot in any octet, or go, again and again`(name: String, starts: Int) throws {
    let whole = try disk(starts: starts).disk.files
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
