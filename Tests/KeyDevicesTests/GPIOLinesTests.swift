import Glibc
import Keys
import Testing

@testable import KeyDevices

/// Lines of chips: buttons with edges, lamps and relays.
@Suite struct GPIOLinesTests {
  private let kernel = FakeKernel()
  private static let pi = FakeKernel.Chip(
    label: "pinctrl-rp1", lines: (0..<28).map { LineFacts(name: "GPIO\($0)") })

  private func settings(
    button: LineSettings = LineSettings(name: "GPIO17", isActiveLow: true)
  ) -> PanelSettings {
    var settings = PanelSettings()
    settings.buttons = [ButtonSettings(key: "talk", contact: .line(button))]
    let lamp = LineSettings(name: "GPIO27", isActiveLow: false)
    settings.lamps = [LampSettings(key: "talk", place: .line(lamp))]
    settings.relays = [
      RelaySettings(cause: .call, line: LineSettings(name: "GPIO5", isActiveLow: true))
    ]
    return settings
  }

  private func devices(_ settings: PanelSettings) -> PanelDevices {
    PanelDevices(settings, places: kernel.places, calls: kernel.calls)
  }

  private func read(_ devices: inout PanelDevices) -> [DeviceEvent] {
    var events: [DeviceEvent] = []
    for descriptor in devices.descriptors { events += devices.read(descriptor, now: now()) }
    return events.map {
      guard case .button(let button, let isClosed, _) = $0 else { return $0 }
      return .button(button, isClosed: isClosed, at: .zero)
    }
  }

  @Test func `lines are asked for by name, as they are wired`() {
    kernel.add("gpiochip0", .init(label: "i2c expander", lines: [LineFacts(name: "")]))
    kernel.add("gpiochip4", Self.pi)
    var devices = devices(settings())
    #expect(
      devices.scan() == [
        .found("GPIO17 (gpiochip4, pinctrl-rp1)"), .found("GPIO27 (gpiochip4, pinctrl-rp1)"),
        .found("GPIO5 (gpiochip4, pinctrl-rp1)"),
      ])
    #expect(!devices.isIncomplete)
    #expect(
      kernel.use(of: "gpiochip4:17") == LineUse(isOutput: false, isActiveLow: true, pull: .up))
    #expect(kernel.use(of: "gpiochip4:27")?.isOutput == true)
    #expect(kernel.use(of: "gpiochip4:5")?.isActiveLow == true)
    #expect(devices.descriptors.count == 1)
  }

  @Test func `edges close and open a button`() {
    kernel.add("gpiochip0", Self.pi)
    var devices = devices(settings())
    _ = devices.scan()
    kernel.say("gpiochip0:17", kernel.edge(1, number: 1))
    #expect(read(&devices) == [.button(0, isClosed: true, at: .zero)])
    kernel.say("gpiochip0:17", kernel.edge(-1, number: 2) + kernel.edge(0, number: 2))
    #expect(read(&devices) == [.button(0, isClosed: false, at: .zero)])
  }

  @Test func `after lost edges the line is asked`() {
    kernel.add("gpiochip0", Self.pi)
    var devices = devices(settings())
    _ = devices.scan()
    kernel.say("gpiochip0:17", kernel.edge(1, number: 1))
    _ = read(&devices)
    kernel.change(chip: "gpiochip0") { $0.active = [17] }
    kernel.say("gpiochip0:17", kernel.edge(0, number: 20))
    #expect(read(&devices) == [.button(0, isClosed: true, at: .zero)])
    #expect(devices.isClosed(button: 0) == true)
  }

  @Test func `a button that is held at the start is pressed`() {
    var chip = Self.pi
    chip.active = [17]
    kernel.add("gpiochip0", chip)
    var devices = devices(settings())
    let events = devices.scan()
    #expect(
      events.contains {
        if case .button(0, isClosed: true, _) = $0 { true } else { false }
      })
  }

  @Test func `lamps and relays are set, before their chip is there as well`() {
    var devices = devices(settings())
    #expect(devices.light(lamp: 0, .bright) == [])
    #expect(devices.relay(0, isClosed: false) == [])
    kernel.add("gpiochip0", Self.pi)
    _ = devices.scan()
    #expect(kernel.outputs(of: "gpiochip0:27") == [true])
    #expect(devices.light(lamp: 0, .dim) == [])
    #expect(devices.light(lamp: 0, .bright) == [])
    #expect(devices.light(lamp: 0, .off) == [])
    #expect(kernel.outputs(of: "gpiochip0:27") == [true, false, true, false])
    #expect(devices.relay(0, isClosed: true) == [])
    #expect(kernel.outputs(of: "gpiochip0:5") == [true])
  }

  @Test func `a line on two chips wants its chip's label`() {
    kernel.add("gpiochip0", Self.pi)
    kernel.add("gpiochip1", .init(label: "usb", lines: [LineFacts(name: "GPIO17")]))
    var unclear = devices(settings())
    #expect(
      unclear.scan().first
        == .refused(
          "GPIO17 is on gpiochip0, pinctrl-rp1 and gpiochip1, usb: set chip to one of their labels")
    )
    #expect(unclear.scan() == [])
    var line = LineSettings(name: "GPIO17", isActiveLow: true)
    line.chip = "usb"
    var clear = devices(settings(button: line))
    #expect(clear.scan().first == .found("GPIO17 of usb (gpiochip1, usb)"))
  }

  @Test func `a line without a name is asked for by its number on a chip`() {
    kernel.add("gpiochip0", .init(label: "expander", lines: [LineFacts(name: "")]))
    var devices = devices(
      settings(button: LineSettings(offset: 0, chip: "expander", isActiveLow: true)))
    #expect(devices.scan().first == .found("line 0 of expander (gpiochip0, expander)"))
  }

  static let refusals: [(FakeKernel.Chip?, String)] = [
    (nil, "this machine has no GPIO chip"),
    (.init(label: "x", lines: [LineFacts(name: "P1")]), "no chip has this line (gpiochip0, x)"),
    (
      .init(
        label: "x", lines: [LineFacts(name: "GPIO17", consumer: "spi0", isUsed: true)],
        requestError: EBUSY), "GPIO17 is used by spi0: use another line"
    ),
    (
      .init(label: "x", lines: [LineFacts(name: "GPIO17")], requestError: EINVAL),
      "set pull = \"none\""
    ),
    (
      .init(label: "x", lines: [LineFacts(name: "GPIO17")], requestError: ENODEV),
      "No such device"
    ),
  ]

  @Test(arguments: refusals)
  func `what is wrong with a line is told once`(chip: FakeKernel.Chip?, words: String) {
    if let chip { kernel.add("gpiochip0", chip) }
    var settings = settings()
    (settings.lamps, settings.relays) = ([], [])
    var devices = devices(settings)
    let events = devices.scan()
    guard events.count == 1, case .refused(let told) = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(told.contains(words), "\(told)")
    #expect(devices.scan() == [])
    #expect(devices.isIncomplete)
  }

  @Test func `a chip that may not be used is told of as that`() {
    kernel.write("", to: "/dev/gpiochip0")
    var devices = devices(settings())
    guard case .refused(let told) = devices.scan().first else {
      Issue.record("not told")
      return
    }
    #expect(told.contains("group gpio"))
  }
}

/// Lights of the kernel, in files.
@Suite struct KernelLightTests {
  private let kernel = FakeKernel()

  private func devices(_ name: String) -> PanelDevices {
    var settings = PanelSettings()
    settings.lamps = [LampSettings(key: "talk", place: .light(name))]
    return PanelDevices(settings, places: kernel.places, calls: kernel.calls)
  }

  private func brightness(_ name: String) -> String {
    String(kernel.text(of: "/sys/class/leds/\(name)/brightness").prefix { $0 != "\n" })
  }

  @Test func `a light is taken from its trigger, lit, and given back`() {
    kernel.light("ACT", most: 255, trigger: "none timer [mmc0] heartbeat\n")
    var devices = devices("ACT")
    #expect(devices.scan() == [.found("LED ACT")])
    #expect(kernel.text(of: "/sys/class/leds/ACT/trigger").hasPrefix("none\n"))
    for (light, level) in [(LampLight.bright, "255"), (.dim, "15"), (.off, "0")] {
      #expect(devices.light(lamp: 0, light) == [])
      #expect(brightness("ACT") == level)
    }
    devices.close()
    #expect(kernel.text(of: "/sys/class/leds/ACT/trigger").hasPrefix("mmc0\n"))
  }

  @Test func `a light that is on or off is off when it is dim`() {
    kernel.light("input3::capslock", most: 1, trigger: "[none] kbd-capslock\n")
    var devices = devices("input3::capslock")
    _ = devices.scan()
    _ = devices.light(lamp: 0, .dim)
    #expect(brightness("input3::capslock") == "0")
    _ = devices.light(lamp: 0, .bright)
    #expect(brightness("input3::capslock") == "1")
  }

  @Test func `a light that comes later gets what it is to show`() {
    var devices = devices("ACT")
    #expect(devices.scan() == [.refused("LED ACT: there is none; ls /sys/class/leds lists them")])
    #expect(devices.scan() == [])
    _ = devices.light(lamp: 0, .bright)
    kernel.light("ACT", most: 255, trigger: "[none]\n")
    #expect(devices.scan() == [.found("LED ACT")])
    #expect(brightness("ACT") == "255")
    #expect(!devices.isIncomplete)
  }

  @Test(arguments: ["", "..", "../../../etc", "a/b", "."])
  func `a name leads nowhere else`(name: String) {
    var devices = devices(name)
    guard case .refused = devices.scan().first else {
      Issue.record("opened")
      return
    }
  }
}
