/// A histogram of packet delays over the last 12 s, in milliseconds, for a wanted rate of late packets.
///
/// The last two seconds (`ArrivalWindow`) tell a calm link's need to a fraction of a period, but a radio's droughts
/// come every few seconds: who follows each of them up and down cuts the speech more often than they would. Here they
/// are weighed against each other: as many packets may be late as are wanted, wherever in the 12 s. A storm is
/// forgotten as long after its end. A single bad moment on a link that is calm otherwise is a stall and no habit:
/// nothing is done about it.
///
/// What is asked for moves only when more are late than wanted, or when a quarter of the spread less would do; a link
/// counts as varying until half as many would be too slow for a calm one.
struct ArrivalHistory {
  private static let seconds = 12
  private static let classCount = 200
  private static let classNanoseconds: Int64 = 1_000_000
  /// Class of the fastest packets, which leaves room for faster ones.
  private static let firstClass = 20
  private static let farClass = 60
  private static let secondNanoseconds: Int64 = 1_000_000_000
  /// Fewer packets, or a shorter time, give no rate; a known one holds until half of them are left.
  private static let tellingCount = 180
  private static let tellingNanoseconds: Int64 = 4_000_000_000
  /// A link with this spread is varying: it exceeds what an xrun or two shift a stream by at short periods.
  private static let variedClasses = 15
  /// The same where packets are held up on their way, by a round trip or two at a time.
  private static let heldUpClasses = 4
  /// What is held up is waited for by so much beyond what all but one in a hundred need.
  ///
  /// That is two round trips of a LAN and a frame. What stands still for longer, again and again, is a busy machine.
  private static let (mostHeldUpClasses, packetsPerFew) = (25, 100)
  private static let beyondCount = 16
  private static let renewalNanoseconds: Int64 = 200_000_000
  /// Longest stall, as a multiple of the wanted late packets, or 0.3 s.
  private static let stallShare = 5
  /// Where packets are held up, what makes some slower than all others by more than so much is a stall.
  private static let stallClasses = 30
  /// So long a stall, or some of them, may take.
  private static let stallSeconds = 4
  /// Of a shorter time than this, 0.3 s in twelve.
  private static let packetsPerStalled = 40
  /// The next one within so long is a habit.
  private static let stallNanoseconds: Int64 = 30_000_000_000
  /// One packet in this many may be faster than the fastest that count.
  private static let packetsPerException = 200
  /// One packet in so many may be late.
  private var packetsPerLate: Int
  private var variedClasses = Self.variedClasses

  /// Seconds, oldest reused first, by classes.
  private var counts = [UInt16](repeating: 0, count: seconds * classCount)
  private var sums = [Int](repeating: 0, count: classCount)
  private var total = 0
  private var second = 0
  private var secondBegan: Int64 = 0
  private var began: Int64 = 0
  private var origin: Int64?
  private var renewed: Int64 = .min / 2
  private var held: Int64?
  /// The second in which the last stall began, where packets are held up, and whether it is one and no habit.
  private var stall: (beganNanoseconds: Int64, isAlone: Bool)?

  /// Whether delays vary too much for the last two seconds to suffice.
  private(set) var isVaried = false

  /// Arrival minus media time that three packets in four meet.
  private(set) var typicalTransitNanoseconds: Int64 = 0
  /// Arrival minus media time that all but the wanted share of packets meet; nil: not known yet.
  var transitNanoseconds: Int64? { held }

  /// An empty history that lets `lateShare` of the packets be late.
  init(lateShare: Double = 0.005) { packetsPerLate = Int((1 / lateShare).rounded()) }

  /// Lets no more than `lateShare` be late, also where delays vary by little.
  mutating func expectHoldUps(lateShare: Double) {
    packetsPerLate = max(packetsPerLate, Int((1 / lateShare).rounded()))
    variedClasses = Self.heldUpClasses
  }

  /// Forgets everything.
  mutating func clear() {
    for index in counts.indices { counts[index] = 0 }
    for index in sums.indices { sums[index] = 0 }
    (total, origin, held, isVaried) = (0, nil, nil, false)
    renewed = .min / 2
  }

  /// Packets hold so much more from now on, and are complete so much later: what came before is taken as if it had,
  /// too.
  mutating func delay(byNanoseconds step: Int64) {
    origin? += step
    held? += step
    typicalTransitNanoseconds += step
  }

  /// Adds a packet's arrival.
  mutating func add(transitNanoseconds transit: Int64, at now: Int64) {
    if origin != nil { turn(now) }
    let start = origin ?? transit - Int64(Self.firstClass) * Self.classNanoseconds
    if origin == nil {
      origin = start
      secondBegan = now
      began = now
    }
    if start - transit >= Int64(Self.classCount) * Self.classNanoseconds {
      clear()
      add(transitNanoseconds: transit, at: now)
      return
    }
    if transit < start {
      shift(by: Self.firstClass + Self.clamped((start - transit) / Self.classNanoseconds))
    }
    let place = Self.clamped((transit - (origin ?? start)) / Self.classNanoseconds)
    let index = second * Self.classCount + place
    guard counts[index] < .max else { return }
    counts[index] += 1
    sums[place] += 1
    total += 1
    if now - renewed >= Self.renewalNanoseconds {
      renewed = now
      renew(now)
    }
  }

  private static func clamped(_ place: Int64) -> Int {
    Int(min(max(place, 0), Int64(classCount - 1)))
  }

  /// Begins the next second; the oldest is forgotten.
  private mutating func turn(_ now: Int64) {
    guard now - secondBegan >= Self.secondNanoseconds else { return }
    // Half a second's packets beyond the last class: nobody knows how far, so all is learnt anew.
    let beyond = Int(counts[second * Self.classCount + Self.classCount - 1])
    if beyond >= Self.beyondCount && 2 * beyond >= slowCount(of: second, from: 0) {
      clear()
      return
    }
    var turns = 0
    while now - secondBegan >= Self.secondNanoseconds && turns < Self.seconds {
      secondBegan += Self.secondNanoseconds
      second = (second + 1) % Self.seconds
      for place in 0..<Self.classCount {
        let index = second * Self.classCount + place
        sums[place] -= Int(counts[index])
        total -= Int(counts[index])
        counts[index] = 0
      }
      turns += 1
    }
    if turns == Self.seconds { secondBegan = now }
    guard let first = sums.firstIndex(where: { $0 > 0 }), first > Self.farClass else { return }
    shift(by: Self.firstClass - first)
  }

  /// Moves all by so many classes, as the origin moves the other way; what leaves at the top stays in the last class.
  private mutating func shift(by classes: Int) {
    origin? -= Int64(classes) * Self.classNanoseconds
    for part in 0..<Self.seconds { shift(second: part, by: classes) }
    for place in 0..<Self.classCount { sums[place] = 0 }
    total = 0
    for index in counts.indices {
      sums[index % Self.classCount] += Int(counts[index])
      total += Int(counts[index])
    }
  }

  private mutating func shift(second part: Int, by classes: Int) {
    let base = part * Self.classCount
    for step in 0..<Self.classCount {
      let place = classes > 0 ? Self.classCount - 1 - step : step
      let count = counts[base + place]
      guard count > 0 else { continue }
      counts[base + place] = 0
      let target = base + Self.clamped(Int64(place + classes))
      counts[target] += min(count, .max - counts[target])
    }
  }

  private mutating func renew(_ now: Int64) {
    let isKnown = held != nil
    guard let origin, total >= (isKnown ? Self.tellingCount / 2 : Self.tellingCount),
      isKnown || now - began >= Self.tellingNanoseconds
    else {
      (held, isVaried) = (nil, false)
      return
    }
    let allowed = count(now, oneIn: packetsPerLate)
    let first = fastestClass(leaving: total / Self.packetsPerException)
    let (slow, worst) = slowCounts(from: first + variedClasses)
    // More than a moment is a storm.
    let alone = stalledAloneCount(now)
    let stalled = max(alone, min(worst, Self.stallShare * allowed))
    isVaried = slow - stalled > (isVaried ? allowed / 2 : allowed)
    let tolerated = isVaried ? allowed + alone : allowed + stalled
    var last = slowestClass(leaving: tolerated, from: first)
    if variedClasses == Self.heldUpClasses {
      let few = slowestClass(leaving: count(now, oneIn: Self.packetsPerFew), from: first)
      last = min(last, few + Self.mostHeldUpClasses)
    }
    let place = min(last, slowestClass(leaving: total / 4, from: first))
    let typical = origin + Int64(place + 1) * Self.classNanoseconds
    if typical > typicalTransitNanoseconds || !isKnown
      || typicalTransitNanoseconds - typical > 2 * Self.classNanoseconds
    {
      typicalTransitNanoseconds = typical
    }
    let wanted = origin + Int64(last + 1) * Self.classNanoseconds
    let slack = Int64(last - first) * Self.classNanoseconds / 8
    guard let current = held else {
      held = wanted
      return
    }
    if wanted > current || current - wanted > 2 * slack { held = wanted + slack }
  }

  /// The class that all but so many packets meet.
  private func slowestClass(leaving late: Int, from first: Int) -> Int {
    var place = Self.classCount - 1
    var slower = sums[place]
    while place > first && slower <= late {
      place -= 1
      slower += sums[place]
    }
    return place
  }

  /// The fastest packets' class; a few that are faster still are exceptions, as a few that are slower.
  private func fastestClass(leaving exceptions: Int) -> Int {
    var place = 0
    var fast = sums[0]
    while place < Self.classCount - 1 && fast <= exceptions {
      place += 1
      fast += sums[place]
    }
    return place
  }

  /// How many of the slowest packets are those of one stall, where packets are held up, and of the first for a while.
  ///
  /// What is lost on the way comes a round trip late now and then, and is waited for. A machine that stood still once
  /// is not, as its next stall is none that this would help.
  private mutating func stalledAloneCount(_ now: Int64) -> Int {
    guard variedClasses == Self.heldUpClasses, let slowest = sums.lastIndex(where: { $0 > 0 }),
      let age = (1...Self.seconds).first(where: { count(age: $0, slowest) > 0 })
    else { return 0 }
    // The moment around it that leaves the least outside.
    let first = max(1, age - Self.stallSeconds + 1)
    let usual = (first...age).reduce(slowest) { min($0, slowestClass(outside: $1)) }
    guard slowest - usual > Self.stallClasses else { return 0 }
    let stalled = sums[(usual + 1)...].reduce(0, +)
    guard stalled <= count(now, oneIn: Self.packetsPerStalled) else { return 0 }
    let began = secondBegan - Int64(Self.seconds - age) * Self.secondNanoseconds
    let elapsed = stall.map { began - $0.beganNanoseconds } ?? .max
    if abs(elapsed) >= Int64(Self.stallSeconds) * Self.secondNanoseconds {
      stall = (began, elapsed > Self.stallNanoseconds)
    }
    return stall?.isAlone == true ? stalled : 0
  }

  /// The slowest class of what came before a moment that begins at an age, and after it.
  private func slowestClass(outside age: Int) -> Int {
    let moment = age..<min(age + Self.stallSeconds, Self.seconds + 1)
    return sums.indices.last { place in
      sums[place] > moment.reduce(0) { $0 + count(age: $1, place) }
    } ?? Self.classCount - 1
  }

  /// Packets of a class in one of the seconds, 1 the oldest.
  private func count(age: Int, _ place: Int) -> Int {
    Int(counts[(second + age) % Self.seconds * Self.classCount + place])
  }

  /// One packet in so many in 12 s, at the rate at which they have come since the beginning.
  private func count(_ now: Int64, oneIn share: Int) -> Int {
    let whole = Int64(Self.seconds) * Self.secondNanoseconds
    let known = min(max(now - began, Self.secondNanoseconds), whole)
    return total * Int(whole / 1_000_000) / Int(known / 1_000_000) / share
  }

  /// Packets of a class and slower ones: all of them, and those of the two seconds in a row that have most, as a stall
  /// may begin in one and end in the next.
  private func slowCounts(from place: Int) -> (all: Int, worst: Int) {
    var (all, worst, before) = (0, 0, 0)
    for age in 1...Self.seconds {
      let slow = slowCount(of: (second + age) % Self.seconds, from: place)
      all += slow
      worst = max(worst, before + slow)
      before = slow
    }
    return (all, worst)
  }

  private func slowCount(of part: Int, from place: Int) -> Int {
    var slow = 0
    var index = place
    while index < Self.classCount {
      slow += Int(counts[part * Self.classCount + index])
      index += 1
    }
    return slow
  }
}

/// The median difference between the delay needed in two seconds and in the two before.
///
/// It measures random jitter. Device periods on either side make arrivals differ, but alike in all
/// windows, and an xrun or a stall is two steps of it at most, whatever its size.
struct TargetWander {
  /// A window that has nothing of the one before.
  private static let windowNanoseconds = ArrivalWindow.spanNanoseconds
  /// A link of 2 ms of jitter is known after half a minute.
  private static let stepNanoseconds: Int64 = 50_000

  private(set) var nanoseconds: Int64 = 0
  private var last: (need: Int64, atNanoseconds: Int64)?

  /// Adds the delay needed now.
  mutating func add(_ need: Int64, at now: Int64) {
    guard let before = last else {
      last = (need, now)
      return
    }
    guard now - before.atNanoseconds >= Self.windowNanoseconds else { return }
    last = (need, now)
    let step = abs(need - before.need) > nanoseconds ? Self.stepNanoseconds : -Self.stepNanoseconds
    nanoseconds = max(0, nanoseconds + step)
  }

  /// Starts again; the learned jitter stays.
  mutating func restart() { last = nil }
}
