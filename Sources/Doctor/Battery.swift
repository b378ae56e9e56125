public import StatusSchema

/// The batteries of this machine, as Linux tells of them below `/sys/class/power_supply`.
///
/// A laptop's, a UPS hat's, a power bank's: whatever its driver says feeds the system (`scope` of a mouse's is
/// `Device`). Reading may wait for a driver.
public struct Battery: Sendable {
  private static let folder = "/sys/class/power_supply"

  private let files: FileTree

  /// Those of this machine.
  public init() { self.init(files: FileTree(root: "")) }

  init(files: FileTree) { self.files = files }

  /// All batteries together; nil: there is none.
  public var status: BatteryStatus? {
    let supplies = files.names(in: Self.folder).map { "\(Self.folder)/\($0)" }
    let batteries = supplies.filter {
      ["Battery", "UPS"].contains(files.text("\($0)/type"))
        && files.text("\($0)/scope") != "Device" && files.text("\($0)/present") != "0"
    }
    let levels = batteries.compactMap { files.number("\($0)/capacity") }
    guard !levels.isEmpty else { return nil }
    let isFed = supplies.contains { files.number("\($0)/online") ?? 0 > 0 }
    let isLoading = batteries.contains {
      ["Charging", "Full"].contains(files.text("\($0)/status"))
    }
    let mean = levels.map { min(max($0, 0), 100) }.reduce(0, +) / levels.count
    return BatteryStatus(percent: mean, isPlugged: isFed || isLoading)
  }
}
