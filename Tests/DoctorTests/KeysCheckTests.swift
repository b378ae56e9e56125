import Testing

@testable import Doctor

/// Whether buttons, lamps and relays can be used.
@Suite struct KeysCheckTests {
  typealias Device = KeysCheck.Device

  private static func check(_ change: (inout KeysCheck) -> Void) -> KeysCheck {
    var check = KeysCheck(user: "comlink-keys")
    (check.isConfigured, check.isRunning, check.wantsChips, check.wantsInputs) = (
      true, true, true, true
    )
    check.groups = ["input", "gpio"]
    check.chips = [Device(path: "/dev/gpiochip0", group: "gpio", isForGroup: true)]
    let file = "/sys/class/leds/ACT/brightness"
    check.lights = [
      .init(name: "ACT", device: Device(path: file, group: "gpio", isForGroup: true))
    ]
    change(&check)
    return check
  }

  static let cases: [(KeysCheck, [Finding.Level], words: String)] = [
    (check { _ in }, [.ok, .ok], "/dev/gpiochip0"),
    (check { $0.isConfigured = false }, [], ""),
    (check { $0.isRunning = false }, [.advice, .ok], "enable --now comlink-keys"),
    (check { $0.groups = ["gpio"] }, [.ok, .problem, .ok], "usermod -aG input comlink-keys"),
    (check { $0.groups = ["input"] }, [.ok, .problem, .ok], "usermod -aG gpio comlink-keys"),
    (check { ($0.groups, $0.isRoot) = ([], true) }, [.ok, .ok], "comlink-keys runs"),
    (check { $0.chips = [] }, [.ok, .problem], "no /dev/gpiochip*"),
    (check { ($0.chips, $0.wantsChips) = ([], false) }, [.ok], "comlink-keys runs"),
    (check { $0.chips[0].group = "root" }, [.ok, .problem], "--subsystem-match=gpio"),
    (check { $0.chips[0].isForGroup = false }, [.ok, .problem], "--subsystem-match=gpio"),
    (check { $0.lights[0].device = nil }, [.ok, .ok, .advice], "there is no LED ACT now"),
    (
      check { $0.lights[0].device?.group = "root" }, [.ok, .ok, .problem], "--subsystem-match=leds"
    ),
  ]

  @Test(arguments: cases)
  func `it is judged by what the file wants`(
    check: KeysCheck, levels: [Finding.Level], words: String
  ) {
    #expect(check.findings.map(\.level) == levels)
    let text = FindingTable.text(check.findings)
    #expect(text.contains(words), "\(text)")
    for finding in check.findings where finding.level != .ok {
      #expect(!finding.meaning.isEmpty && !finding.fix.isEmpty)
    }
  }

  @Test func `its facts are read of the file, the groups and the devices`() throws {
    let plant = try Plant([
      "/etc/comlink/keys.toml": """
      # gpio = "no"
      [[button]]
      key = "all"
        device = "Pedal*"
      code = "KEY_B"
      [[lamp]]
      led = "ACT"
      """,
      "/etc/passwd": "root:x:0:0::/:/bin/sh\ncomlink-keys:x:990:990::/:/bin/false\n",
      "/etc/group": "input:x:104:comlink-keys\ngpio:x:986:pi,comlink-keys\nbroken\n",
      "/proc/77/comm": "comlink-keys\n", "/dev/gpiochip0": "", "/dev/null": "",
    ])
    var probes = Plant.probes
    probes.rights = { $0 == "/dev/gpiochip0" ? (986, 0o660) : nil }
    let check = KeysCheck(plant.system(probes: probes))
    #expect(check.isConfigured && check.isRunning && check.wantsInputs && !check.wantsChips)
    #expect(check.user == "comlink-keys")
    #expect(check.groups == ["input", "gpio"])
    #expect(check.chips == [Device(path: "/dev/gpiochip0", group: "gpio", isForGroup: true)])
    #expect(check.lights == [KeysCheck.Light(name: "ACT", device: nil)])
    let none = try Plant(["/etc/comlink/keys.toml": "# nothing\n\n"])
    #expect(KeysCheck(none.system()).findings.isEmpty)
    #expect(KeysCheck(try Plant().system()).findings.isEmpty)
  }
}
