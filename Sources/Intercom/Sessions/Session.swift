import Audio
import Cryptography
import EventLoop
import Habits
import Lines
import Media
import Mesh
import RTP

/// A member as the media path has it: its keys, the streams that are heard of it, what is sent to it, what the user set
/// for it, and the paths that lead there.
///
/// A session is *connected* while one of its paths carries it. Where that is may change at any time: a node roams to
/// another network, or its kernel chooses another way. Streams, places in the mix and counters stay where they are.
///
/// Loop thread only.
final class Session {
  /// Sound of a member comes from elsewhere for so long: then that is where it is.
  private static let roamNanoseconds: Int64 = 300_000_000
  /// A node that sends sound does so each 400 ms at least;
  /// with less than that from the active path another takes over.
  private static let missedNanoseconds: Int64 = 1_000_000_000
  /// What counts as heard now, where only reports come, one each 1.25 s at least.
  private static let recentNanoseconds: Int64 = 1_300_000_000

  /// The most addresses of a member that are tried at once.
  static let mostAddresses = 8

  let node: NodeID
  /// As admitted; its name until its own reports carry one.
  private(set) var told: Member
  /// Of the addresses that it told those that are tried; paths to others come by authentic datagrams.
  private(set) var toldAddresses: [SocketAddress] = []
  /// The keys of its streams, at most one of each number.
  private(set) var keys: [ReceivingKeys] = []
  private(set) var paths: [Path] = []
  /// The path that carries the session; nil: it is not connected.
  private(set) var active: Path?
  /// What is heard of it, while it is connected.
  private(set) var streams: [HeardStream] = []
  /// What the user set for it.
  var settings = PeerSettings()
  private(set) var title = Title()
  /// Which of the recipes in use its packets have.
  var recipeIndex = 0
  /// A bit for each of this node's streams that it is in the audience of.
  private var audiences: UInt32 = 1
  /// Which lines it is on, and which of its own are heard.
  private(set) var lines = MemberLines()
  /// By stream, packets of sound sent to it since it is connected, and the octets of their payload, copies included.
  private var sentPackets = InlineArray<24, Int>(repeating: 0)
  private var sentOctets = InlineArray<24, Int>(repeating: 0)
  /// When its last authentic datagram arrived, from any address; before the first, when it was admitted.
  private(set) var heardNanoseconds: Int64
  /// Whether a datagram came by another path than the active one since that was looked at last.
  private var isHeardElsewhere = false
  /// When something is to be done about it.
  private(set) var dueNanoseconds: Int64 = .min
  private let agenda: SessionAgenda

  init(_ told: Member, nowNanoseconds: Int64, on agenda: SessionAgenda = SessionAgenda()) {
    node = told.node
    self.told = told
    heardNanoseconds = nowNanoseconds
    self.agenda = agenda
    agenda.hasten()
  }

  /// Something happened that may be a reason to do something soon: it is looked at with the next turn.
  func hasten() {
    dueNanoseconds = .min
    agenda.hasten()
  }

  /// All that was due was done; the next is at the earliest of what its paths, streams and keys have to come.
  func rest(nowNanoseconds: Int64) {
    var due: Int64 = isHeardElsewhere ? nowNanoseconds : .max
    if isConnected { due = min(due, heardNanoseconds + Path.Limit.goneNanoseconds + 1) }
    for path in paths {
      due = min(
        due, path.dueNanoseconds(carries: path === active, isSpare: isConnected))
    }
    for keys in keys { due = min(due, keys.dropNanoseconds) }
    dueNanoseconds = due
  }

  /// What it is called, and what that was made of.
  struct Title {
    private static let renameNanoseconds: Int64 = 1_000_000_000

    /// Unique, sanitized; empty before it has a path.
    private(set) var name = ""
    private var told = ""
    private var renamedNanoseconds: Int64 = .min / 2

    /// Names it after what it calls itself.
    mutating func take(_ name: String, madeOf told: String) {
      (self.name, self.told) = (name, told)
    }

    /// Whether it calls itself otherwise now and may be renamed: once a second.
    mutating func isToFollow(_ called: String, nowNanoseconds: Int64) -> Bool {
      guard told != called, nowNanoseconds - renamedNanoseconds > Self.renameNanoseconds
      else { return false }
      renamedNanoseconds = nowNanoseconds
      return true
    }
  }

  var name: String { title.name }

  /// What it calls itself, or until then what it was admitted as.
  var calledName: String {
    guard let own = active?.reports.remoteName, !own.isEmpty else { return told.profile.name }
    return own
  }

  /// Takes its name.
  func take(name: String, madeOf called: String) { title.take(name, madeOf: called) }

  /// Whether it is to be named anew.
  func followsName(nowNanoseconds: Int64) -> Bool {
    title.isToFollow(calledName, nowNanoseconds: nowNanoseconds)
  }

  /// Takes what its member tells of itself.
  ///
  /// - Returns: addresses that it did not tell before.
  func follow(_ told: Member) -> [SocketAddress] {
    let before = toldAddresses
    let addresses = told.profile.mediaAddresses.compactMap(SocketAddress.init)
    (self.told, toldAddresses) = (told, Array(addresses.prefix(Self.mostAddresses)))
    return toldAddresses.filter { !before.contains($0) }
  }

  /// Takes the keys of a stream of it from now on, which has none of that number.
  func add(_ keys: ReceivingKeys) { self.keys.append(keys) }

  /// A stream of it is over.
  func remove(_ keys: ReceivingKeys) { self.keys.removeAll { $0 === keys } }

  /// The keys of the stream of a number; 0 is the one that its reports go by.
  func keys(number: Int) -> ReceivingKeys? {
    for keys in keys where keys.number == number { return keys }
    return nil
  }

  /// The keys of the stream, or the RTX stream, of an SSRC.
  func keys(of ssrc: UInt32) -> ReceivingKeys? {
    for keys in keys where keys.ssrc == ssrc || keys.ssrc == ~ssrc { return keys }
    return nil
  }

  /// Lets go of keys whose time is over.
  func dropOldKeys(nowNanoseconds: Int64) {
    for keys in keys { keys.dropOld(nowNanoseconds: nowNanoseconds) }
  }

  /// The path to an address, if there is one.
  func path(to address: SocketAddress) -> Path? {
    for path in paths where path.address == address { return path }
    return nil
  }

  /// Adds a path.
  func add(_ path: Path) {
    paths.append(path)
    hasten()
  }

  /// Takes a path away that does not carry the session.
  func remove(_ path: Path) {
    precondition(path !== active, "the active path is left before it goes")
    paths.removeAll { $0 === path }
  }

  /// The path to give up for another where there are as many as may be; nil: none can be.
  var stalest: Path? {
    paths.filter { $0 !== active }.min { $0.isStaler(than: $1) }
  }

  /// An authentic datagram came, by a path or from an address that is not one.
  func isHeard(by path: Path?, sendingMedia: Bool, nowNanoseconds: Int64) {
    path?.isHeard(sendingMedia: sendingMedia, nowNanoseconds: nowNanoseconds)
    guard path !== active else { return }
    isHeardElsewhere = true
    hasten()
  }

  /// An authentic datagram arrived.
  func isAlive(atNanoseconds arrival: Int64) {
    heardNanoseconds = max(heardNanoseconds, arrival)
  }

  /// The path by which it is heard now, if that is another one than the active.
  func takeBetterPath(nowNanoseconds: Int64) -> Path? {
    guard isHeardElsewhere, let active else { return nil }
    isHeardElsewhere = false
    var best: Path?
    for path in paths where path !== active {
      guard path.reports.isConfirmed, path.state == .heard else { continue }
      // Not yet better is looked at again, with or without another datagram.
      if path.heardNanoseconds > active.heardNanoseconds { isHeardElsewhere = true }
      guard isBetter(path, than: active, nowNanoseconds: nowNanoseconds),
        path.heardNanoseconds > best?.heardNanoseconds ?? .min
      else { continue }
      best = path
    }
    return best
  }

  private func isBetter(_ path: Path, than active: Path, nowNanoseconds: Int64) -> Bool {
    let heard = active.heardNanoseconds
    if path.mediaNanoseconds - heard > Self.roamNanoseconds { return true }
    let isSending = active.mediaNanoseconds > nowNanoseconds - Path.Limit.goneNanoseconds
    let limit = isSending ? Self.missedNanoseconds : Path.Limit.silentNanoseconds
    return path.heardNanoseconds - heard > limit
      && nowNanoseconds - path.heardNanoseconds < Self.recentNanoseconds
  }

  var isConnected: Bool { active != nil }

  /// Whether its microphone sounds, in any stream.
  var isPlaying: Bool {
    for heard in streams where heard.isMicrophone && heard.stream.isPlaying { return true }
    return false
  }

  /// The meter of the loudest stream of its microphone; nil: none is heard.
  func loudest(by engine: AudioEngine) -> MeterReading? {
    var loudest: MeterReading?
    for heard in streams where heard.isMicrophone {
      let reading = engine.meter(of: heard.slot)
      if reading.rms > loudest?.rms ?? -1 { loudest = reading }
    }
    return loudest
  }

  /// Goes by a path from now on, the first or another one.
  func go(by path: Path, with repair: RepairSession) {
    active?.rest()
    path.carry(with: repair)
    active = path
    hasten()
  }

  /// The stream that it sends under an SSRC.
  func stream(_ ssrc: SSRC) -> HeardStream? {
    for stream in streams where stream.ssrc == ssrc { return stream }
    return nil
  }

  /// The stream whose packets it sends again under an SSRC.
  func stream(resentAs ssrc: SSRC) -> HeardStream? {
    for stream in streams where RTXPayload.ssrc(beside: stream.ssrc) == ssrc { return stream }
    return nil
  }

  /// A stream of it is heard from now on.
  func add(_ stream: HeardStream) { streams.append(stream) }

  /// The stream of a number is heard no more; nil: it was not.
  func removeStream(_ number: Int) -> HeardStream? {
    streams.firstIndex { $0.number == number }.map { streams.remove(at: $0) }
  }

  /// Is connected no more.
  ///
  /// - Returns: the streams that were heard.
  func disconnect() -> [HeardStream] {
    defer { streams.removeAll() }
    active?.rest()
    active = nil
    (sentPackets, sentOctets) = (InlineArray(repeating: 0), InlineArray(repeating: 0))
    return streams
  }

  /// A packet of a stream was sent to it.
  func countSent(octets: Int, of number: Int) {
    sentPackets[number] += 1
    sentOctets[number] += octets
  }

  /// What it was sent of a stream since it is connected.
  func sent(_ number: Int) -> (packets: Int, octets: Int) {
    (sentPackets[number], sentOctets[number])
  }

  /// What it was sent of all streams since it is connected.
  var sent: (packets: Int, octets: Int) {
    var sum = (packets: 0, octets: 0)
    for number in sentPackets.indices {
      sum.packets += sentPackets[number]
      sum.octets += sentOctets[number]
    }
    return sum
  }

  /// The stream of it whose packets tell most of the way: one that sounds.
  var tellingStream: HeardStream? {
    for stream in streams where stream.stream.isPlaying { return stream }
    return streams.first
  }

  /// Whether it is in a stream's audience.
  func hears(_ number: Int) -> Bool { audiences & 1 << UInt32(number) != 0 }

  /// Whether it gets a stream, in packets of a recipe.
  func hears(_ number: Int, inPacketsOf recipeIndex: Int) -> Bool {
    self.recipeIndex == recipeIndex && hears(number)
  }

  /// Whether it gets packets of its streams that are for these lines; nil: for all.
  func isAddressed(by lines: LineSet?) -> Bool {
    lines.map { !$0.isDisjoint(with: self.lines.addressed) } ?? true
  }

  /// Follows which lines it is on, and which of its own are heard.
  func follow(_ lines: MemberLines) { self.lines = lines }

  /// Takes the lines that a stream's packets are for from now on; nil: for all.
  ///
  /// Allocates nothing.
  func take(_ lines: LineSet?, for stream: HeardStream) {
    stream.take(
      lines, gain: gain(of: stream, for: lines), pan: pan(of: stream, for: lines),
      priority: priority(of: stream, for: lines), places: places(of: stream, for: lines))
    stream.sink.keepAgain(at: stream.places)
  }

  /// How loud a stream of it is played whose packets are for these lines; 0: it is not.
  ///
  /// Allocates nothing.
  func gain(of stream: HeardStream, for lines: LineSet?) -> Float {
    if let audience = stream.privateLine { return self.lines.privateLine(audience)?.gain ?? 0 }
    return stream.isForLines(lines) ? self.lines.gain(of: lines) : 1
  }

  /// Where a stream of it is heard whose packets are for these lines, −1 (left) … 1 (right).
  func pan(of stream: HeardStream, for lines: LineSet?) -> Float {
    if let audience = stream.privateLine { return self.lines.privateLine(audience)?.pan ?? 0 }
    return stream.isForLines(lines) ? self.lines.pan(of: lines) : 0
  }

  /// The places of the lines that a stream's packets are for and that are heard, a bit each.
  func places(of stream: HeardStream, for lines: LineSet?) -> UInt64 {
    if let audience = stream.privateLine {
      let line = self.lines.privateLine(audience)
      return line.map { $0.gain > 0 ? 1 << UInt64($0.place) : 0 } ?? 0
    }
    return stream.isForLines(lines) ? self.lines.places(of: lines) : 0
  }

  /// The priority of the lines that a stream's packets are for.
  func priority(of stream: HeardStream, for lines: LineSet?) -> Int {
    if let audience = stream.privateLine {
      return self.lines.privateLine(audience)?.priority ?? EarSettings.usualPriority
    }
    return stream.isForLines(lines) ? self.lines.priority(of: lines) : EarSettings.usualPriority
  }

  /// Is in the audience of a stream from now on, or no more.
  func follow(_ stream: OwnStream, isOver: Bool = false) {
    let bit: UInt32 = 1 << UInt32(stream.number)
    if !isOver, stream.listeners.contains(node) {
      audiences |= bit
      for path in paths { path.reports.open(stream.ssrc) }
    } else {
      audiences &= ~bit
      for path in paths { path.reports.close(stream.ssrc) }
    }
  }
}

/// When the first of all sessions has something due: until then nobody looks at any.
///
/// Loop thread only.
final class SessionAgenda {
  private var nextNanoseconds: Int64 = .min

  /// Something may be due of one now.
  func hasten() { nextNanoseconds = .min }

  /// Whether something may be due.
  func isDue(nowNanoseconds: Int64) -> Bool { nowNanoseconds >= nextNanoseconds }

  /// Begins a turn, in which each session tells when it is due.
  func begin() { nextNanoseconds = .max }

  /// Takes in when a session is due.
  func note(_ dueNanoseconds: Int64) { nextNanoseconds = min(nextNanoseconds, dueNanoseconds) }
}
