import StatusSchema
import Testing

@testable import Doctor

@Suite struct BatteryTests {
  private static let folder = "/sys/class/power_supply"

  private static let machines: [([String: String], BatteryStatus?)] = [
    ([:], nil),
    (["AC/type": "Mains", "AC/online": "1"], nil),
    (
      ["BAT0/type": "Battery\n", "BAT0/capacity": "63\n", "BAT0/status": "Discharging\n"],
      BatteryStatus(percent: 63, isPlugged: false)
    ),
    (
      ["AC/type": "Mains", "AC/online": "1", "BAT0/type": "Battery", "BAT0/capacity": "63"],
      BatteryStatus(percent: 63, isPlugged: true)
    ),
    (
      ["ups/type": "UPS", "ups/capacity": "250", "ups/status": "Charging"],
      BatteryStatus(percent: 100, isPlugged: true)
    ),
    (
      [
        "BAT0/type": "Battery", "BAT0/capacity": "10", "BAT1/type": "Battery",
        "BAT1/capacity": "20",
      ], BatteryStatus(percent: 15, isPlugged: false)
    ),
    // A mouse, a slot without a battery, and a driver that tells no figure.
    (
      [
        "hid/type": "Battery", "hid/scope": "Device", "hid/capacity": "5", "BAT1/type": "Battery",
        "BAT1/present": "0", "BAT1/capacity": "0", "BAT2/type": "Battery", "BAT2/capacity": "?",
      ], nil
    ),
  ]

  @Test(arguments: machines)
  func `what feeds the machine is told`(files: [String: String], status: BatteryStatus?) throws {
    let plant = try Plant(
      Dictionary(
        uniqueKeysWithValues: files.map { ("\(Self.folder)/\($0.key)", $0.value) }))
    #expect(
      withExtendedLifetime(plant) { Battery(files: FileTree(root: plant.root)).status } == status)
  }
}
