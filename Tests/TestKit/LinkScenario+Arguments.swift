extension LinkScenario {
  /// Why arguments are no scenario, for the person who wrote them.
  public struct ArgumentError: Error, Hashable, CustomStringConvertible {
    /// One sentence without a full stop.
    public let description: String
  }

  /// The options of a link, for a program's help.
  public static let usage = """
    --delay MS                  constant delay, one way (0)
    --jitter KIND               uniform:MS (0 to MS more), gaussian:MS (deviation), wifi, storm, none;
                                packets stay in order
    --loss PERCENT              losses one by one
    --burst-loss PERCENT:MEAN   losses in bursts of MEAN packets on average, PERCENT of all; or none
    --reorder PERCENT[:MS]      so many come MS later (25), overtaken by those behind them
    --duplicate PERCENT         so many come twice
    --rate KBITS                rate cap, of whole IP packets; or none
    --queue MS                  how much may wait at the rate cap (200)
    --at SECONDS                what follows holds from then on; what it does not name stays
    """

  /// Reads options such as `--delay 20 --loss 2 --at 10 --jitter storm --at 12 --jitter none`.
  ///
  /// Without any, packets pass at once; packets stay in order but for detours and copies.
  /// - Throws: `ArgumentError`.
  public init(arguments: [String]) throws(ArgumentError) {
    var model = LinkModel()
    model.delayNanoseconds = 0
    model.keepsOrder = true
    var phases = [Change(atNanoseconds: 0, model: model)]
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else {
        throw ArgumentError(description: "\(option) wants a value")
      }
      let current = phases[phases.count - 1]
      if option == "--at" {
        let moment = try Self.nanoseconds(value, of: option, unit: 1e9)
        guard moment > current.atNanoseconds else {
          throw ArgumentError(description: "--at \(value) is not after the moment before it")
        }
        phases.append(Change(atNanoseconds: moment, model: current.model))
      } else {
        model = current.model
        try Self.apply(option, value, to: &model)
        phases[phases.count - 1] = Change(atNanoseconds: current.atNanoseconds, model: model)
      }
    }
    self.init(phases[0].model, changes: Array(phases.dropFirst()))
  }

  private static func apply(
    _ option: String, _ value: String, to model: inout LinkModel
  ) throws(ArgumentError) {
    switch option {
    case "--delay": model.delayNanoseconds = try nanoseconds(value, of: option)
    case "--jitter": model.jitter = try jitter(value)
    case "--loss": model.loss = try share(value, of: option)
    case "--burst-loss": model.bursts = try bursts(value)
    case "--reorder": try setDetours(value, of: &model)
    case "--duplicate": model.duplication = try share(value, of: option)
    case "--rate": model.rateKilobits = try rate(value)
    case "--queue": model.queueNanoseconds = try nanoseconds(value, of: option)
    default: throw ArgumentError(description: "there is no option \(option)")
    }
  }

  private static func jitter(_ text: String) throws(ArgumentError) -> LinkModel.Jitter {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count) {
    case ("none", 1): return .none
    case ("wifi", 1): return .wifi(WiFi())
    case ("storm", 1): return .wifi(.storm)
    case ("uniform", 2): return .uniform(nanoseconds: try nanoseconds(parts[1], of: "--jitter"))
    case ("gaussian", 2): return .gaussian(nanoseconds: try nanoseconds(parts[1], of: "--jitter"))
    default:
      throw ArgumentError(
        description: "--jitter is uniform:MS, gaussian:MS, wifi, storm or none, not \(text)")
    }
  }

  private static func bursts(_ text: String) throws(ArgumentError) -> LinkModel.Bursts? {
    guard text != "none" else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let mean = Double(parts[1]), (1...1000).contains(mean) else {
      throw ArgumentError(
        description: "--burst-loss is PERCENT:MEAN with a MEAN of 1 to 1000, or none, not \(text)")
    }
    let share = try share(parts[0], of: "--burst-loss")
    let most = mean / (mean + 1)
    guard share <= most else {
      throw ArgumentError(
        description:
          "--burst-loss \(text): bursts of \(parts[1]) lose \(Int(most * 100)) % at most")
    }
    return share > 0 ? LinkModel.Bursts(share: share, meanLength: mean) : nil
  }

  private static func setDetours(_ text: String, of model: inout LinkModel) throws(ArgumentError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2 else {
      throw ArgumentError(description: "--reorder is PERCENT or PERCENT:MS, not \(text)")
    }
    model.reorder = try share(parts[0], of: "--reorder")
    model.reorderNanoseconds = try nanoseconds(
      parts.count > 1 ? parts[1] : "25", of: "--reorder")
  }

  private static func rate(_ text: String) throws(ArgumentError) -> Double? {
    guard text != "none" else { return nil }
    guard let rate = Double(text), (1...10_000_000).contains(rate) else {
      throw ArgumentError(description: "--rate is 1 to 10000000 kbit/s, or none, not \(text)")
    }
    return rate
  }

  private static func share(_ text: String, of option: String) throws(ArgumentError) -> Double {
    guard let percent = Double(text), (0...100).contains(percent) else {
      throw ArgumentError(description: "\(option) is 0 to 100 percent, not \(text)")
    }
    return percent / 100
  }

  /// A length of time up to a day.
  private static func nanoseconds(
    _ text: String, of option: String, unit: Double = 1e6
  ) throws(ArgumentError) -> Int64 {
    guard let number = Double(text), number >= 0, number * unit <= 86_400e9 else {
      throw ArgumentError(description: "\(option) is a time, not \(text)")
    }
    return Int64(number * unit)
  }
}
