import Foundation
import Testing

@testable import Doctor

@Suite struct FindingTests {
  private static let well = Finding(check: "swap", level: .ok, seen: "no swap on a disk")
  private static let bad = Finding(
    check: "wifi", level: .problem, seen: "wl\u{1B}[2Jan0", meaning: "It sleeps.", fix: ["iw off"],
    repairs: [.set(path: "/x", value: "1")])

  @Test func `the table says what was seen, what it means and how to mend it`() {
    #expect(
      FindingTable.text([Self.well, Self.bad]) == """
        ok       swap       no swap on a disk
        problem  wifi       wl?[2Jan0
                            It sleeps.
                            fix: iw off
        1 problem, 0 advice; sudo comlink doctor --fix fixes 1.

        """)
    #expect(FindingTable.text([Self.well]).hasSuffix("All is well.\n"))
  }

  @Test func `the JSON has what the table says`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let text = { String(decoding: try encoder.encode($0 as Finding), as: UTF8.self) }
    #expect(
      try text(Self.well)
        == #"{"check":"swap","isRepairable":false,"level":"ok","seen":"no swap on a disk"}"#)
    #expect(try text(Self.bad).contains(#""fix":["iw off"],"isRepairable":true,"level":"problem""#))
  }

  @Test func `this machine is examined without a daemon`() {
    let findings = Doctor(patient: Patient(userName: "maker", userID: 1000)).examine()
    let checks = Set(findings.map(\.check))
    #expect(checks.isSuperset(of: ["daemon", "kernel", "io_uring", "rtprio", "memlock", "disk"]))
    #expect(findings.first { $0.check == "kernel" }?.seen.hasPrefix("Linux ") == true)
  }
}
