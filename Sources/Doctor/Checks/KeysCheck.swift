/// Whether what `keys.toml` asks for can be used by comlink-keys: chips, input devices, LEDs, and the rights to them.
///
/// Nothing of a machine whose file says nothing.
struct KeysCheck: Check {
  /// What a device's file allows.
  struct Device: Hashable, Sendable {
    var path: String
    /// Its group; a number where it has no name.
    var group: String
    var isForGroup: Bool
  }

  /// A light of the kernel that a lamp is.
  struct Light: Hashable, Sendable {
    var name: String
    /// Its file; nil: there is none.
    var device: Device?
  }

  /// Whether the file says anything.
  var isConfigured = false
  /// Whether a process of that name is there.
  var isRunning = false
  /// Who runs it: the service's user, or this one.
  var user: String
  /// Whom no rights bind.
  var isRoot = false
  /// Of these groups the user is.
  var groups: Set<String> = []
  /// Whether buttons, lamps or relays are on GPIO lines.
  var wantsChips = false
  /// Whether buttons are on input devices.
  var wantsInputs = false
  var chips: [Device] = []
  /// Those that lamps are, whether they are there or not.
  var lights: [Light] = []
}

extension KeysCheck {
  private static let (file, service) = ("/etc/comlink/keys.toml", "comlink-keys")

  init(_ system: System) {
    let files = system.files
    let settings = files.lines(Self.file).map { $0.drop { $0 == " " || $0 == "\t" } }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    isConfigured = !settings.isEmpty
    wantsChips = settings.contains { Self.value($0, of: "gpio") != nil }
    wantsInputs = settings.contains { Self.value($0, of: "device") != nil }
    let hasService = files.lines("/etc/passwd").contains { $0.hasPrefix("\(Self.service):") }
    user = hasService ? Self.service : system.patient.userName
    isRoot = !hasService && system.patient.userID == 0
    guard isConfigured else { return }
    isRunning = files.names(in: "/proc").contains {
      $0.first?.isNumber == true && files.text("/proc/\($0)/comm") == Self.service
    }
    let entries = files.lines("/etc/group").map {
      $0.split(separator: ":", omittingEmptySubsequences: false)
    }.filter { $0.count == 4 }
    groups = Set(
      entries.filter { $0[3].split(separator: ",").contains(Substring(user)) }.map { "\($0[0])" })
    let names = Dictionary(entries.map { ("\($0[2])", "\($0[0])") }) { first, _ in first }
    func device(_ path: String) -> Device? {
      system.probes.rights(path).map { group, mode in
        Device(
          path: path, group: names["\(group)"] ?? "\(group)", isForGroup: mode & 0o060 == 0o060)
      }
    }
    chips = files.names(in: "/dev").filter { $0.hasPrefix("gpiochip") }.compactMap {
      device("/dev/\($0)")
    }
    lights = settings.compactMap { Self.value($0, of: "led") }.map {
      Light(name: $0, device: device("/sys/class/leds/\($0)/brightness"))
    }
  }

  /// The text of a setting of that name.
  private static func value(_ line: Substring, of key: String) -> String? {
    let parts = line.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0].filter({ $0 != " " && $0 != "\t" }) == key else { return nil }
    return parts[1].split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first
      .map(String.init) ?? ""
  }

  var findings: [Finding] {
    guard isConfigured else { return [] }
    let problems = rights + chipProblems + lights.flatMap(problems)
    return [running] + problems
  }

  private var running: Finding {
    isRunning
      ? Finding(check: "keys", level: .ok, seen: "comlink-keys runs")
      : Finding(
        check: "keys", level: .advice,
        seen: "keys.toml has buttons or lamps; comlink-keys does not run",
        meaning: "They do nothing.",
        fix: ["sudo systemctl enable --now comlink-keys (why not: journalctl -u comlink-keys)"])
  }

  private var rights: [Finding] {
    guard !isRoot else { return [] }
    var wanted: [String] = []
    if wantsInputs { wanted.append("input") }
    if wantsChips || !lights.isEmpty { wanted.append("gpio") }
    return wanted.filter { !groups.contains($0) }.map {
      Finding(
        check: "keys", level: .problem, seen: "\(user) is not in the group \($0)",
        meaning: $0 == "input"
          ? "It may not read input devices." : "It may not use GPIO chips and LEDs.",
        fix: ["sudo usermod -aG \($0) \(user), then sudo systemctl restart comlink-keys"])
    }
  }

  private var chipProblems: [Finding] {
    guard wantsChips else { return [] }
    guard !chips.isEmpty else {
      return [
        Finding(
          check: "gpio", level: .problem, seen: "this machine has no /dev/gpiochip*",
          meaning: "Buttons, lamps and relays on GPIO lines do nothing.",
          fix: ["plug the GPIO adapter in, or remove gpio from \(Self.file)"])
      ]
    }
    let closed = chips.filter { $0.group != "gpio" || !$0.isForGroup }
    guard !closed.isEmpty, !isRoot else {
      return [Finding(check: "gpio", level: .ok, seen: chips.map(\.path).joined(separator: ", "))]
    }
    return closed.map {
      Finding(
        check: "gpio", level: .problem, seen: "\($0.path) is not for the group gpio",
        meaning: "comlink-keys cannot use its lines.",
        fix: ["sudo udevadm trigger --action=change --subsystem-match=gpio"])
    }
  }

  private func problems(_ light: Light) -> [Finding] {
    guard let device = light.device else {
      return [
        Finding(
          check: "led", level: .advice, seen: "there is no LED \(light.name) now",
          meaning: "It is lit once it is there.", fix: ["ls /sys/class/leds lists them"])
      ]
    }
    guard device.group != "gpio" || !device.isForGroup, !isRoot else { return [] }
    return [
      Finding(
        check: "led", level: .problem, seen: "LED \(light.name) is not for the group gpio",
        meaning: "comlink-keys cannot light it.",
        fix: ["sudo udevadm trigger --action=change --subsystem-match=leds"])
    ]
  }
}
