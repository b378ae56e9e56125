import CEvdev
import Glibc
import Keys
import Testing

@testable import KeyDevices

/// Foot switches, pads and headsets that come, go, flood and lie.
@Suite struct InputDevicesTests {
  private static let pedal = "PCsensor FootSwitch Keyboard"
  private static let (b, c) = (UInt16(48), UInt16(46))
  private let kernel = FakeKernel()

  private func button(
    _ code: UInt16, device: String = "PCsensor*", isGrabbed: Bool = true
  ) -> ButtonSettings {
    var input = InputSettings(device: device, code: code)
    input.isGrabbed = isGrabbed
    return ButtonSettings(key: "talk", contact: .input(input))
  }

  private func devices(_ buttons: [ButtonSettings]) -> InputDevices {
    InputDevices(buttons, folder: kernel.places.inputs, calls: kernel.calls)
  }

  /// Everything that is to be read, without its times.
  private func read(_ devices: inout InputDevices) -> [DeviceEvent] {
    var events: [DeviceEvent] = []
    for descriptor in devices.descriptors { events += devices.read(descriptor, now: now()) }
    return events.map {
      guard case .button(let button, let isClosed, _) = $0 else { return $0 }
      return .button(button, isClosed: isClosed, at: .zero)
    }
  }

  private func closed(_ button: Int, _ isClosed: Bool) -> DeviceEvent {
    .button(button, isClosed: isClosed, at: .zero)
  }

  @Test func `a foot switch presses its button, and what else it says is left out`() {
    kernel.plug("event3", .init(name: Self.pedal))
    var devices = devices([button(Self.b)])
    #expect(devices.scan() == [.found("\(Self.pedal) (\(kernel.root)/dev/input/event3)")])
    #expect(!devices.isIncomplete)
    kernel.say(
      "input/event3",
      kernel.event(4, 4, 0x70005) + kernel.stroke(Self.b, isDown: true)
        + kernel.event(EVDEV_KEY, Self.b, 2) + kernel.stroke(Self.c, isDown: true)
        + kernel.event(EVDEV_KEY, Self.b, -7) + kernel.event(0xFFFF, 0xFFFF, .min))
    #expect(read(&devices) == [closed(0, true)])
    kernel.say("input/event3", kernel.stroke(Self.b, isDown: false))
    #expect(read(&devices) == [closed(0, false)])
  }

  @Test func `one code may press several buttons, and a device have several`() {
    kernel.plug("event0", .init(name: Self.pedal))
    var devices = devices([button(Self.b), button(Self.c), button(Self.b)])
    _ = devices.scan()
    kernel.say(
      "input/event0", kernel.stroke(Self.b, isDown: true) + kernel.stroke(Self.c, isDown: true))
    #expect(read(&devices) == [closed(0, true), closed(2, true), closed(1, true)])
  }

  @Test func `a device that is plugged in later is found, and its end releases`() {
    var devices = devices([button(Self.b)])
    #expect(devices.scan() == [])
    #expect(devices.isIncomplete)
    kernel.plug("event7", .init(name: Self.pedal))
    #expect(read(&devices).count == 1)
    kernel.say("input/event7", kernel.stroke(Self.b, isDown: true))
    #expect(read(&devices) == [closed(0, true)])
    kernel.unplug("event7")
    #expect(read(&devices) == [.lost(button: 0), .gone(Self.pedal)])
    #expect(devices.isIncomplete)
    kernel.plug("event7", .init(name: Self.pedal))
    #expect(read(&devices).count == 1)
    #expect(!devices.isIncomplete)
  }

  @Test func `a folder that comes later is watched from then on`() throws {
    unsafe rmdir("\(kernel.root)/dev/input")
    var devices = devices([button(Self.b)])
    #expect(devices.scan() == [])
    unsafe mkdir("\(kernel.root)/dev/input", 0o755)
    #expect(read(&devices) == [])
    kernel.plug("event7", .init(name: Self.pedal))
    #expect(read(&devices).count == 1)
  }

  @Test func `two devices of one name press one button, and it is released with the last`() {
    kernel.plug("event0", .init(name: Self.pedal))
    kernel.plug("event1", .init(name: Self.pedal))
    var devices = devices([button(Self.b)])
    #expect(devices.scan().count == 2)
    kernel.say("input/event0", kernel.stroke(Self.b, isDown: true))
    kernel.say("input/event1", kernel.stroke(Self.b, isDown: true))
    #expect(read(&devices) == [closed(0, true), closed(0, true)])
    kernel.say("input/event0", kernel.stroke(Self.b, isDown: false))
    #expect(read(&devices) == [closed(0, true)])
    kernel.unplug("event1")
    #expect(read(&devices) == [closed(0, false), .gone(Self.pedal)])
  }

  @Test func `others are not opened again and again`() {
    kernel.plug("event0", .init(name: "Power Button"))
    kernel.plug("event1", .init(name: "Lid Switch"))
    var devices = devices([button(Self.b)])
    for _ in 0..<10 { #expect(devices.scan() == []) }
    #expect(kernel.openCount == 2)
  }

  @Test func `a key that is held when the device comes counts as pressed`() {
    kernel.plug("event0", .init(name: Self.pedal, down: [Self.b]))
    var devices = devices([button(Self.b), button(Self.c)])
    guard case .button(0, isClosed: true, _) = devices.scan().last else {
      Issue.record("not pressed")
      return
    }
    #expect(devices.isClosed(button: 0) == true)
    #expect(devices.isClosed(button: 1) == false)
    #expect(devices.isClosed(button: 2) == nil)
  }

  @Test func `a device by its link is found when the link comes`() {
    kernel.plug("event0", .init(name: "Some Pad"))
    let link = "\(kernel.root)/dev/input/by-id/usb-pad"
    var devices = devices([button(Self.b, device: link)])
    #expect(devices.scan() == [])
    unsafe mkdir("\(kernel.root)/dev/input/by-id", 0o755)
    unsafe symlink("../event0", link)
    #expect(devices.scan() == [.found("Some Pad (\(kernel.root)/dev/input/event0)")])
  }

  @Test func `a device without permission is told of once, and used once it may be`() throws {
    kernel.plug("event0", .init(name: Self.pedal, openError: EACCES))
    var devices = devices([button(Self.b)])
    guard case .refused(let words) = devices.scan().first else {
      Issue.record("not told")
      return
    }
    #expect(words.contains("group input"))
    #expect(devices.scan() == [])
    kernel.change("event0") { $0.openError = nil }
    #expect(devices.scan().count == 1)
    #expect(!devices.isIncomplete)
  }

  @Test func `a device that another program has is told of once, and shared if wanted`() {
    kernel.plug("event0", .init(name: Self.pedal, isTaken: true))
    var taken = devices([button(Self.b)])
    guard case .refused(let words) = taken.scan().first else {
      Issue.record("not told")
      return
    }
    #expect(words.contains("grab = false"))
    #expect(taken.scan() == [])
    kernel.change("event0") { $0.isTaken = false }
    #expect(taken.scan().count == 1)
    kernel.change("event0") { $0.isTaken = true }
    var shared = devices([button(Self.b, isGrabbed: false)])
    #expect(shared.scan().count == 1)
  }

  @Test func `after lost events what is down counts`() {
    kernel.plug("event0", .init(name: Self.pedal))
    var devices = devices([button(Self.b), button(Self.c)])
    _ = devices.scan()
    kernel.say("input/event0", kernel.stroke(Self.b, isDown: true))
    #expect(read(&devices) == [closed(0, true)])
    kernel.change("event0") { $0.down = [Self.c] }
    kernel.say(
      "input/event0",
      kernel.event(EVDEV_SYNC, UInt16(EVDEV_SYNC_DROPPED), 0)
        + kernel.stroke(Self.b, isDown: true))
    #expect(Set(read(&devices)) == [closed(0, false), closed(1, true)])
    kernel.say("input/event0", kernel.stroke(Self.b, isDown: true))
    #expect(read(&devices) == [closed(0, true)])
  }

  @Test func `events in pieces are whole events`() {
    kernel.plug("event0", .init(name: Self.pedal))
    var devices = devices([button(Self.b)])
    _ = devices.scan()
    var seen: [DeviceEvent] = []
    for byte in kernel.stroke(Self.b, isDown: true) + kernel.stroke(Self.b, isDown: false) {
      kernel.say("input/event0", [byte])
      seen += read(&devices)
    }
    #expect(seen == [closed(0, true), closed(0, false)])
  }

  @Test func `a device that floods is read a bounded bit at a time`() throws {
    kernel.plug("event0", .init(name: Self.pedal))
    kernel.plug("event1", .init(name: "Headset"))
    var devices = devices([button(Self.b), button(Self.c, device: "Headset")])
    _ = devices.scan()
    for _ in 0..<500 { kernel.say("input/event0", kernel.stroke(Self.b, isDown: true)) }
    kernel.say("input/event1", kernel.stroke(Self.c, isDown: true))
    let first = read(&devices)
    #expect(first.count <= EventStream.mostEvents + 1)
    #expect(first.last == closed(1, true))
  }

  @Test(arguments: [Int64.min, -1, 0, 5, .max])
  func `a device that lies about the time is believed within a second`(nanoseconds: Int64) {
    let now = Duration.seconds(100)
    let time = EventStream.moment(nanoseconds, now: now)
    #expect(time <= now && time >= .seconds(99))
  }

  @Test func `key names and codes are each other's`() {
    #expect(KeyCode.code(of: "KEY_B") == 48)
    #expect(KeyCode.code(of: "KEY_PLAYPAUSE") == 164)
    #expect(KeyCode.code(of: "KEY_MICMUTE") == 248)
    #expect(KeyCode.code(of: "BTN_LEFT") == 0x110)
    #expect(KeyCode.name(of: 48) == "KEY_B")
    #expect(KeyCode.code(of: "767") == 767)
    #expect(KeyCode.code(of: "768") == nil)
    #expect(KeyCode.code(of: "B") == nil)
    for code in 0..<UInt16(EVDEV_KEY_COUNT) {
      #expect(KeyCode.code(of: KeyCode.name(of: code)) == code)
    }
  }
}
