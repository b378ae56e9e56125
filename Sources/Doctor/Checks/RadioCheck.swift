/// Whether Wi-Fi sleeps between packets.
struct RadioCheck: Check {
  /// An interface with a radio.
  struct Radio: Hashable, Sendable {
    var name: String
    var index: UInt32
    /// Nil: the driver does not tell.
    var savesPower: Bool?
  }

  var radios: [Radio]
  /// Who sets up the radio: it would switch power save on again.
  var hasNetworkManager: Bool
  /// Where `iw` is; nil: not installed.
  var iwPath: String?
}

extension RadioCheck {
  private static let managerFile = "/etc/NetworkManager/conf.d/95-comlink-wifi.conf"
  private static let managerLines = "[connection]\nwifi.powersave = 2\n"
  private static let ruleFile = "/etc/udev/rules.d/95-comlink-wifi.rules"

  init(_ system: System) {
    let (files, folder) = (system.files, "/sys/class/net")
    radios = files.names(in: folder).filter {
      files.exists("\(folder)/\($0)/phy80211") || files.exists("\(folder)/\($0)/wireless")
    }.map { name in
      let index = UInt32(clamping: files.number("\(folder)/\(name)/ifindex") ?? 0)
      return Radio(name: name, index: index, savesPower: system.probes.savesPower(index))
    }
    hasNetworkManager = files.exists("/etc/NetworkManager/conf.d")
    iwPath = ["/usr/sbin/iw", "/sbin/iw", "/usr/bin/iw"].first(where: files.exists)
  }

  var findings: [Finding] {
    if radios.isEmpty { return [Finding(check: "wifi", level: .ok, seen: "no Wi-Fi interface")] }
    return radios.map(finding)
  }

  private func finding(_ radio: Radio) -> Finding {
    switch radio.savesPower {
    case false: return Finding(check: "wifi", level: .ok, seen: "\(radio.name): power save off")
    case nil:
      return Finding(
        check: "wifi", level: .advice,
        seen: "\(radio.name): power save state unknown",
        meaning: Self.meaning, fix: ["sudo iw dev \(radio.name) set power_save off"])
    default:
      return Finding(
        check: "wifi", level: .problem, seen: "\(radio.name): power save on", meaning: Self.meaning,
        fix: ["sudo iw dev \(radio.name) set power_save off"] + lasting,
        repairs: [.keepRadioAwake(interface: radio.name, index: radio.index)] + lastingRepairs)
    }
  }

  private static let meaning =
    "The radio sleeps between packets: one round trip in a hundred takes 0.8 to 2 s instead of 19 to 31 ms."

  private var lasting: [String] {
    if hasNetworkManager {
      return ["and to keep it, in \(Self.managerFile): [connection] and wifi.powersave = 2"]
    }
    guard let rule else {
      return ["and to keep it: sudo apt install iw, then comlink doctor --fix"]
    }
    return ["and to keep it, in \(Self.ruleFile): \(rule)"]
  }

  private var lastingRepairs: [Repair] {
    if hasNetworkManager {
      return [.create(path: Self.managerFile, contents: Self.managerLines)]
    }
    return rule.map { [.create(path: Self.ruleFile, contents: "\($0)\n")] } ?? []
  }

  /// For each radio as it appears; udev needs whole paths.
  private var rule: String? {
    iwPath.map {
      #"ACTION=="add", SUBSYSTEM=="net", ENV{DEVTYPE}=="wlan", RUN+="\#($0) dev $name set power_save off""#
    }
  }
}
