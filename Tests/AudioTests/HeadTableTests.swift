import Testing

@testable import Audio

/// What ears have of sound from around a head.
@Suite struct HeadTableTests {
  private static func responses(
    _ table: HeadTable, azimuth: Double, elevation: Double = 0
  ) -> (left: [Float], right: [Float]) {
    table.withResponses(azimuthDegrees: azimuth, elevationDegrees: elevation) { left, right in
      (left.indices.map { left[$0] }, right.indices.map { right[$0] })
    }
  }

  private static func power(_ taps: [Float]) -> Float { taps.reduce(0) { $0 + $1 * $1 } }

  /// Where the first half of a response's power is over.
  private static func middle(_ taps: [Float]) -> Int {
    var sum: Float = 0
    return taps.firstIndex {
      sum += $0 * $0
      return sum > power(taps) / 2
    } ?? 0
  }

  @Test(arguments: [44_100, 48_000, 96_000])
  func `who is at the side is louder and earlier at that ear`(rate: Int) throws {
    let table = try HeadTable(sampleRate: rate)
    for (azimuth, isRight) in [(90, true), (-90, false), (45, true), (-135, false)] {
      let (left, right) = Self.responses(table, azimuth: Double(azimuth))
      let (near, far) = isRight ? (right, left) : (left, right)
      #expect(Self.power(near) > 4 * Self.power(far))
      let late = Double(Self.middle(far) - Self.middle(near)) / Double(rate)
      #expect((0.0002...0.0009).contains(late), "\(azimuth): \(late)")
    }
  }

  @Test func `who is ahead is as loud at both ears, and nothing is later than it must be`() throws {
    let table = try HeadTable(sampleRate: 48_000)
    let (left, right) = Self.responses(table, azimuth: 0)
    #expect(abs(Self.power(left) / Self.power(right) - 1) < 0.05)
    let (_, near) = Self.responses(table, azimuth: 90)
    #expect(Self.middle(near) < 20)
    // What is left out at the end is little.
    for azimuth in stride(from: -180.0, to: 180, by: 15) {
      let (left, right) = Self.responses(table, azimuth: azimuth)
      for ear in [left, right] {
        #expect(Self.power(Array(ear.suffix(16))) < 0.01 * Self.power(ear))
        #expect(ear.allSatisfy { $0.isFinite && abs($0) < 4 })
      }
    }
  }

  @Test(
    arguments: [
      (-30, 0, -30, 0), (182, 0, -180, 0), (-178, 4, -180, 0), (358, 12, 0, 10),
      (47.4, -90, 45, -40),
      (0, 95, 0, 90),
    ] as [(Double, Double, Double, Double)])
  func `a direction is that which was measured next to it`(
    azimuth: Double, elevation: Double, nearAzimuth: Double, nearElevation: Double
  ) throws {
    let near = HeadTable.rounded(azimuthDegrees: azimuth, elevationDegrees: elevation)
    #expect(abs(near.azimuth).isEqual(to: abs(nearAzimuth)) && near.elevation == nearElevation)
  }

  @Test func `what is not there is told, and what to do`() throws {
    let advice = "install the package libmysofa1"
    let missing = #expect(throws: HeadTable.Missing.self) {
      try HeadTable(sampleRate: 48_000, library: "/nowhere/libmysofa.so.1")
    }
    #expect(missing?.words.contains("/nowhere/libmysofa.so.1") == true)
    #expect(missing?.words.contains(advice) == true)
    let other = #expect(throws: HeadTable.Missing.self) {
      try HeadTable(sampleRate: 48_000, library: "libm.so.6")
    }
    #expect(other?.words.contains("is not libmysofa") == true)
    let file = #expect(throws: HeadTable.Missing.self) {
      try HeadTable(sampleRate: 48_000, file: "/nowhere/head.sofa")
    }
    #expect(file?.words.contains("/nowhere/head.sofa: cannot be read") == true)
  }
}
