internal import Intercom
internal import Lines
internal import Logging
internal import Panel
internal import StatusSchema
internal import Synchronization

/// Browsers that are guests of this node: each gets its place in the mix, a stream that members hear, and the keys of
/// this node to talk on; and the assistant, which gets the same and a line.
actor GuestService: GuestHost, LineStage, GuestEars {
  private let node: Intercom
  private let membership: Membership
  private let lines: LineService
  private let log: Logger
  private var places: [Int: Place] = [:]
  private var names: Set<String> = []
  private var lastNumber = 0

  /// A guest that is here.
  private final class Place: GuestPlace {
    let number: Int
    let name: String
    let session: String
    let page: String
    let seat: GuestSeat
    private let service: GuestService
    private let keys: AsyncStream<Set<KeyName>>.Continuation

    init(
      _ number: Int, _ guest: GuestApplication, named name: String, _ seat: GuestSeat,
      _ service: GuestService, lines: LineService
    ) {
      (self.number, self.name, self.seat, self.service) = (number, name, seat, service)
      (session, page) = (guest.session, guest.page)
      let (wishes, keys) = AsyncStream.makeStream(
        of: Set<KeyName>.self, bufferingPolicy: .bufferingNewest(1))
      self.keys = keys
      Task {
        for await wish in wishes { await lines.setGuest(number, talking: .keys(wish)) }
        await lines.setGuest(number, talking: nil)
      }
    }

    func take(_ octets: [UInt8]) { seat.take(octets) }

    func talk(on keys: [String]) {
      self.keys.yield(Set(keys.compactMap { try? KeyName($0) }))
    }

    func leave() async {
      keys.finish()
      await service.remove(self)
    }
  }

  init(node: Intercom, membership: Membership, lines: LineService, log: Logger) {
    (self.node, self.membership, self.lines, self.log) = (node, membership, lines, log)
  }

  func admit(
    _ guest: GuestApplication, deliver: @escaping @Sendable ([UInt8]) -> Void
  ) async throws(GuestRefusal) -> any GuestPlace {
    lastNumber += 1
    let number = lastNumber
    let name = freeName(guest.name)
    names.insert(name)
    do {
      let (seat, key) = try await node.admitGuest(
        number, named: name, hearing: guest.hears == .pcm ? .pcm : .opus, deliver: deliver)
      let place = Place(number, guest, named: name, seat, self, lines: lines)
      places[number] = place
      await membership.share(key)
      log.event(.guestCame, "guest", ["name": "\(name)"])
      return place
    } catch {
      names.remove(name)
      log.event(.guestRefused, "no place for a guest: \(error)", ["name": "\(name)"])
      throw GuestRefusal("\(error)")
    }
  }

  private func remove(_ place: Place) async {
    guard places.removeValue(forKey: place.number) != nil else { return }
    await empty(place.seat, of: place.name)
  }

  private func empty(_ seat: GuestSeat, of name: String) async {
    names.remove(name)
    await membership.endSharing(of: seat.stream)
    await node.expelGuest(seat)
    let counts = seat.line.counts
    log.event(
      .guestLeft, "guest left",
      [
        "name": "\(name)", "frames": "\(counts.taken)", "missing": "\(counts.missing)",
        "late": "\(counts.stale)",
      ])
  }

  private func freeName(_ wish: String) -> String {
    if !names.contains(wish) { return wish }
    return (2...).lazy.map { "\(wish) \($0)" }.first { !self.names.contains($0) } ?? wish
  }

  /// What is on a line of this node and no browser: it talks there alone, and only while it has something to say.
  private final class Speaker: LinePlace {
    let number: Int
    let name: String
    let line: LineName
    let seat: GuestSeat
    private let service: GuestService

    init(
      _ number: Int, named name: String, on line: LineName, _ seat: GuestSeat,
      _ service: GuestService
    ) {
      (self.number, self.name, self.line) = (number, name, line)
      (self.seat, self.service) = (seat, service)
    }

    func take(_ frame: [UInt8]) { seat.line.take(frame) }

    func talk(_ isOn: Bool) async {
      await service.lines.setGuest(number, talking: .lines(isOn ? [line] : []))
    }

    func leave() async { await service.remove(self) }
  }

  func enter(
    _ wanted: String, as wish: String, in colour: UInt32?
  ) async throws(LineStageRefusal) -> any LinePlace {
    guard let line = await lines.publicLine(wanted) else {
      throw LineStageRefusal(
        "this node is not on line \"\(wanted)\", or it is private; join it: comlink line join")
    }
    lastNumber += 1
    let number = lastNumber
    let name = freeName(wish)
    names.insert(name)
    do {
      let (seat, key) = try await node.admitGuest(
        number, named: name, in: colour, hearing: .pcm
      ) { _ in }
      await membership.share(key)
      log.event(.guestCame, "guest", ["name": "\(name)", "line": "\(line)"])
      return Speaker(number, named: name, on: line, seat, self)
    } catch {
      names.remove(name)
      throw LineStageRefusal("\(error)")
    }
  }

  private func remove(_ speaker: Speaker) async {
    await lines.setGuest(speaker.number, talking: nil)
    await empty(speaker.seat, of: speaker.name)
  }

  func ear(of session: String, page: String) -> (number: Int, door: any EarDoor)? {
    // Of one that goes and comes the last.
    places.values.filter { $0.session == session && $0.page == page }
      .max { $0.number < $1.number }.map { ($0.number, GuestEar(seat: $0.seat)) }
  }

  /// What those who look are told of guests besides what the media path knows.
  func fill(_ status: inout Status) {
    for index in status.guests?.indices ?? 0..<0 {
      guard let number = status.guests?[index].number else { continue }
      status.guests?[index].session = places[number]?.session
    }
  }
}
