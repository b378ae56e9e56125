internal import StatusSchema

/// Further inputs, and buses with ports of their own.
extension Intercom {
  /// Whether there is a further input of that name.
  ///
  /// - Throws: that there is none, in words.
  public func checkInput(_ name: String) throws(IntercomError) {
    _ = try station.capture.input(named: name)
  }

  /// Lets others hear a further input, or not, and keeps that.
  public func setInput(_ name: String, isOn: Bool) throws(IntercomError) {
    try station.capture.setInput(name, isOn: isOn)
    station.mix.remember(try station.capture.input(named: name).settings)
  }

  /// Keeps the lines that a further input is for, which routing carries out; none: all members.
  public func keepLines(_ lines: [String], ofInput name: String) throws(IntercomError) {
    let input = try station.capture.input(named: name)
    input.take(lines: lines)
    station.mix.remember(input.settings)
  }

  /// Sets how loud a member is on a bus, and keeps that.
  ///
  /// - Parameters:
  ///   - decibels: nil: not at all.
  ///   - peer: the member; nil: all, those that were set by themselves, too.
  public func setBus(
    _ bus: String, _ decibels: Double?, peer: String?
  ) throws(IntercomError) {
    if let decibels, !PeerStatus.gainRangeDecibels.contains(decibels) {
      throw .outOfRange("gain \(decibels) dB", PeerStatus.gainRangeDecibels)
    }
    let member = try peer.map { name throws(IntercomError) in
      try station.roster.sessions.find(name).name
    }
    station.mix.remember(
      try station.buses.set(decibels ?? -.infinity, of: member, on: bus))
    for session in station.roster.connected { station.streams.patch(session) }
    for guest in station.guests.guests { station.streams.patch(guest.heard) }
  }
}

extension Station {
  /// Buses with ports of their own.
  var buses: BusDesk { streams.buses }
}
