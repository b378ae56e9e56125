internal import Habits
internal import Intercom
internal import Lines
internal import Remote

/// Carries out the requests about inputs beside the microphone, and buses with ports of their own.
struct PatchControl {
  let node: Intercom
  let lines: LineService

  func handle(_ request: PatchRequest) async -> ControlResponse {
    do throws(IntercomError) {
      switch request {
      case .input(let name, let isOn, let lines):
        try await node.checkInput(name)
        if let lines { try await aim(name, at: lines) }
        if let isOn { try await node.setInput(name, isOn: isOn) }
      case .bus(let name, let peer, let decibels):
        try await node.setBus(name, decibels, peer: peer)
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }

  private func aim(_ input: String, at texts: [String]) async throws(IntercomError) {
    guard texts.count <= LineLimits.ownLines else {
      throw .refused("an input is for \(LineLimits.ownLines) lines at most; name fewer, or all")
    }
    let names: [LineName]
    do throws(LineError) {
      names = try texts.map { text throws(LineError) in try LineName(text) }
      try await lines.change { [names] desk, _ throws(LineError) in
        try desk.setInput(input, lines: names)
      }
    } catch {
      throw .refused("\(error)")
    }
    try await node.keepLines(names.contains(.all) ? [] : names.map(\.text), ofInput: input)
  }
}

/// Goes on with what was set in the former run, where the configuration says of it what it said then.
extension PatchSettings {
  /// The inputs, on or off and for the lines that were set.
  func inputs(after mix: Mix) -> [InputSettings] {
    allInputs.map { input in
      guard let habit = mix.inputs[input.name], habit.configured == input.configured else {
        return input
      }
      var input = input
      (input.isOn, input.lines) = (habit.isOn, habit.lines)
      return input
    }
  }

  /// The buses, with who was set.
  func buses(after mix: Mix) -> [BusSettings] {
    buses.map { bus in
      guard let habit = mix.buses[bus.name], habit.configured == bus.configured else { return bus }
      var bus = bus
      bus.others = habit.others
      bus.members = habit.members
      return bus
    }
  }

  /// The lines that inputs are for, by name.
  func inputLines(after mix: Mix) -> [String: [LineName]] {
    var lines: [String: [LineName]] = [:]
    for input in inputs(after: mix) {
      lines[input.name] = input.lines.compactMap { try? LineName($0) }
    }
    return lines
  }
}
