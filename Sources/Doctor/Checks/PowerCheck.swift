/// Whether the machine gets enough power, and does not get too hot.
struct PowerCheck: Check {
  /// What a Raspberry Pi's firmware tells, as bits: 0…3 now, 16…19 since the start; nil: none.
  var throttled: UInt32?
  /// The hottest sensor, degrees Celsius; nil: none.
  var celsius: Int?
}

extension PowerCheck {
  private static let undervoltage: UInt32 = 0x1_0001
  private static let slowed: UInt32 = 0xE_000E
  private static let now: UInt32 = 0xF
  private static let isHot = 80

  init(_ system: System) {
    let text = system.files.text("/sys/devices/platform/soc/soc:firmware/get_throttled")
    throttled = text.flatMap {
      UInt32($0.hasPrefix("0x") ? String($0.dropFirst(2)) : $0, radix: 16)
    }
    let folder = "/sys/class/thermal"
    let zones = system.files.names(in: folder).filter { $0.hasPrefix("thermal_zone") }
    celsius = zones.compactMap { system.files.number("\(folder)/\($0)/temp") }.max().map {
      $0 / 1000
    }
  }

  var findings: [Finding] { power + heat }

  private var power: [Finding] {
    guard let throttled else { return [] }
    let seen = "get_throttled 0x\(String(throttled, radix: 16))"
    if throttled & Self.undervoltage != 0 {
      return [
        Finding(
          check: "power", level: .problem,
          seen: "under-voltage \(Self.when(throttled & Self.undervoltage)), \(seen)",
          meaning: "The Pi slows down, and USB cards drop out.",
          fix: ["another power supply and cable: 5.1 V, 3 A (Pi 4) or 5 A (Pi 5)"])
      ]
    }
    guard throttled & Self.slowed != 0 else {
      return [Finding(check: "power", level: .ok, seen: "no under-voltage, not throttled")]
    }
    return [
      Finding(
        check: "power", level: .advice,
        seen: "slowed down \(Self.when(throttled & Self.slowed)), \(seen)",
        meaning: "The Pi got too hot and lowered its clock.", fix: ["a heat sink or a fan"])
    ]
  }

  private var heat: [Finding] {
    guard let celsius else { return [] }
    guard celsius >= Self.isHot else {
      return [Finding(check: "heat", level: .ok, seen: "\(celsius) °C")]
    }
    return [
      Finding(
        check: "heat", level: .advice, seen: "\(celsius) °C",
        meaning: "The CPU lowers its clock about here.", fix: ["a heat sink or a fan"])
    ]
  }

  private static func when(_ bits: UInt32) -> String { bits & now != 0 ? "now" : "since the start" }
}
