import Audio
import Measurement
import Synchronization
import TestKit

@testable import Intercom
@testable import NodeDaemon

/// A microphone and an ear without JACK: 10 ms of both each 10 ms.
final class TestEar: EarDoor, Sendable {
  /// What the microphone hears from now on.
  let mic = Mutex<[Float]>([])
  /// Whether the ear has heard something, by 10 ms.
  let ear = Mutex<[Bool]>([])
  /// Microphone and ear in step: where the last speech began, in blocks.
  let began = Mutex(0)
  let opened = Mutex(0)
  private let link = Mutex<EarLink?>(nil)
  /// What was heard, at 48 kHz, where that is wanted.
  let sound = Mutex<[Float]?>(nil)
  /// How many times faster than life it goes.
  let pace: Int
  /// Blocks that may wait at the microphone, which who only listens for a word looks at each 40 ms; and for so many
  /// times 2 ms more do not.
  private static let (heldBlocks, mostHolds) = (2, 50)
  private let pump = Mutex<Task<Void, Never>?>(nil)

  /// Whether a machine that holds up who looks at the microphone holds up microphone and ear alike: what is counted in
  /// blocks then is what the assistant takes, and not what the machine does beside.
  let isInStep: Bool

  init(pace: Int = 1, isInStep: Bool = false) { (self.pace, self.isInStep) = (pace, isInStep) }

  func openEar() async throws(IntercomError) -> EarLink {
    let link: EarLink
    do throws(AudioError) { link = try EarLink(sampleRate: 48_000) } catch { throw .audio(error) }
    opened.withLock { $0 += 1 }
    self.link.withLock { $0 = link }
    let task = Task {
      var next = ContinuousClock.now
      var room = [Float](repeating: 0, count: 480)
      while !Task.isCancelled {
        for _ in 0..<pace { step(link, &room) }
        next += .milliseconds(10)
        try? await Task.sleep(until: next, clock: .continuous)
        if isInStep { await keepStep(with: link, &next) }
      }
    }
    pump.withLock { $0 = task }
    return link
  }

  private func keepStep(with link: EarLink, _ next: inout ContinuousClock.Instant) async {
    for _ in 0..<Self.mostHolds
    where link.microphone.availableFrames > Self.heldBlocks * pace * 480 && !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(2))
      next = max(next, .now)
    }
  }

  private func step(_ link: EarLink, _ room: inout [Float]) {
    let block = mic.withLock { mic -> [Float] in
      let block = Array(mic.prefix(480))
      mic.removeFirst(block.count)
      return block + [Float](repeating: 0, count: 480 - block.count)
    }
    link.microphone.write(block.span)
    let isCut = link.ear.passUnwanted()
    var span = room.mutableSpan
    let count = link.ear.read(into: &span)
    link.ear.note(waitingFrames: 0)
    let heard = Array(room.prefix(isCut ? 0 : count))
    ear.withLock { $0.append(heard.contains { $0 != 0 }) }
    sound.withLock { sound in
      if sound != nil {
        sound?.append(contentsOf: heard + [Float](repeating: 0, count: 480 - heard.count))
      }
    }
  }

  func closeEar(_ link: EarLink) async {
    pump.withLock { $0 }?.cancel()
    opened.withLock { $0 -= 1 }
  }

  /// It ends by itself, as where a phone goes.
  func drop() { link.withLock { $0?.end() } }

  /// Somebody says something for so long.
  func say(seconds: Double) {
    began.withLock { $0 = ear.withLock { $0.count } }
    mic.withLock { $0 = ArtificialSpeech.frames(seconds: seconds, sampleRate: 48_000) }
  }

  var isHearing: Bool { ear.withLock { $0.last == true } }
}

/// Places on lines without a station.
final class TestStage: LineStage, Sendable {
  /// A place, and what was sent there.
  final class Place: LinePlace, Sendable {
    /// Frames with sound, and those that say that nobody talks.
    let frames = Mutex<(sounding: Int, silent: Int)>((0, 0))
    /// The numbers of all frames.
    let numbers = Mutex<[UInt32]>([])
    /// How the key changed.
    let talks = Mutex<[Bool]>([])
    let hasLeft = Mutex(false)

    func take(_ frame: [UInt8]) {
      let number = frame[1...4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      numbers.withLock { $0.append(number) }
      frames.withLock {
        if frame.count > GuestFrame.headerBytes + 1 { $0.sounding += 1 } else { $0.silent += 1 }
      }
    }

    func talk(_ isOn: Bool) async { talks.withLock { $0.append(isOn) } }

    func leave() async { hasLeft.withLock { $0 = true } }
  }

  /// Lines that there are.
  let lines: Set<String>
  let places = Mutex<[(line: String, name: String, colour: UInt32?, place: Place)]>([])

  init(_ lines: Set<String> = ["stage"]) { self.lines = lines }

  func enter(
    _ line: String, as name: String, in colour: UInt32?
  ) async throws(LineStageRefusal) -> any LinePlace {
    guard lines.contains(line) else { throw LineStageRefusal("there is no line \(line)") }
    let place = Place()
    places.withLock { $0.append((line, name, colour, place)) }
    return place
  }

  var last: Place? { places.withLock { $0.last?.place } }
}
