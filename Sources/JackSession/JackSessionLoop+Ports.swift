internal import Audio
internal import System

/// The ports of peers, and of buses that come and go: asked for as they come and go, and again where JACK refused them.
extension JackSessionLoop {
  mutating func applyRequests() {
    let taken = requests.takeAll()
    guard !taken.isEmpty else { return }
    // What hangs on the ports now is to be remembered before any of them goes.
    if engine.state == .running { watchGraph() }
    for request in taken {
      switch request {
      case .clear(let slot):
        wishes.wish(nil, for: slot)
        losePort(of: slot)
        engine.clearPort(of: slot)
      case .set(let slot, let portName):
        wishes.wish(portName, for: slot)
        setPort(of: slot, portName: portName)
      case .clearBus(let bus):
        busWishes.wish(nil, for: bus)
        busWishes.portNames.removeValue(forKey: bus).map { memory.losePort($0) }
        engine.clearPort(ofBus: bus)
      case .setBus(let bus, let portName):
        busWishes.wish(portName, for: bus)
        setPort(ofBus: bus, portName: portName)
      case .setMIDI(let areWanted):
        midi.areWanted = areWanted
        if !areWanted {
          for port in ["keys_in", "tally_out"] {
            memory.losePort("\(configuration.clientName):\(port)")
          }
        }
        setMIDIPorts()
      }
    }
    tellRefused(wishes.refused)
  }

  /// The engine does nothing where the port is there already.
  private mutating func setPort(of slot: PeerSlot, portName: String) {
    let code = engine.setPort(of: slot, name: portName)
    let isNews = wishes.settle(
      slot, isRefused: code != 0, nowNanoseconds: monotonicNanoseconds())
    guard code == 0 else {
      if isNews {
        report(.peerPortRefused(slot: slot, portName: portName, reason: errorWords(code)))
      }
      return
    }
    let fullName = "\(configuration.clientName):\(portName)"
    guard wishes.portNames[slot] != fullName else { return }
    losePort(of: slot)
    wishes.portNames[slot] = fullName
  }

  private mutating func setPort(ofBus bus: MixBus, portName: String) {
    let code = engine.setPort(ofBus: bus, name: portName)
    let isNews = busWishes.settle(
      bus, isRefused: code != 0, nowNanoseconds: monotonicNanoseconds())
    guard code == 0 else {
      if isNews { report(.busPortRefused(portName: portName, reason: errorWords(code))) }
      return
    }
    let fullName = "\(configuration.clientName):\(portName)"
    let former = busWishes.portNames.updateValue(fullName, forKey: bus)
    if let former, former != fullName { memory.losePort(former) }
  }

  private mutating func setMIDIPorts() {
    let code = engine.setMIDIPorts(midi.areWanted)
    let isNews = midi.settle(code, nowNanoseconds: monotonicNanoseconds())
    if isNews, let problem = midi.problem {
      report(.busPortRefused(portName: "keys_in", reason: problem))
    }
    midi.tellIfNew([], client: configuration.clientName)
  }

  mutating func askForRefusedPorts() {
    if midi.isDue(nowNanoseconds: monotonicNanoseconds()) { setMIDIPorts() }
    for (bus, portName) in busWishes.due(nowNanoseconds: monotonicNanoseconds()) {
      setPort(ofBus: bus, portName: portName)
    }
    let due = wishes.due(nowNanoseconds: monotonicNanoseconds())
    guard !due.isEmpty else { return }
    for (slot, portName) in due { setPort(of: slot, portName: portName) }
    tellRefused(wishes.refused)
  }

  /// This server may have room where the last one had none, or the other way round.
  mutating func askForAllPorts() {
    for (slot, portName) in wishes.all { setPort(of: slot, portName: portName) }
    for (bus, portName) in busWishes.all { setPort(ofBus: bus, portName: portName) }
    if midi.areWanted { setMIDIPorts() }
    tellRefused(wishes.refused)
  }

  private mutating func losePort(of slot: PeerSlot) {
    guard let fullName = wishes.portNames.removeValue(forKey: slot) else { return }
    memory.losePort(fullName)
  }
}
