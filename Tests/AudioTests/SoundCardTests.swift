import Testing

@testable import Audio

struct SoundCardTests {
  static let desktopCards = """
     0 [PCH            ]: HDA-Intel - HDA Intel PCH
                          HDA Intel PCH at 0xf7f10000 irq 30
     1 [Device         ]: USB-Audio - USB Audio Device
                          C-Media Electronics Inc. USB Audio Device at usb-0000:00:14.0-2, full speed

    """
  static let desktopPCM = """
    00-00: ALC269VC Analog : ALC269VC Analog : playback 1 : capture 1
    00-03: HDMI 0 : HDMI 0 : playback 1
    01-00: USB Audio : USB Audio : playback 1 : capture 1
    """
  static let piCards = """
     0 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0
                          vc4-hdmi-0
     1 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones
                          bcm2835 Headphones
     2 [Microphone     ]: USB-Audio - USB Microphone
                          Some USB Microphone at usb-0000:01:00.0-1.3, full speed
    """
  static let piPCM = """
    00-00: MAI PCM i2s-hifi-0 : MAI PCM i2s-hifi-0 : playback 1
    01-00: bcm2835 Headphones : bcm2835 Headphones : playback 8
    02-00: USB Audio : USB Audio : capture 1
    """

  @Test
  func `the kernel's lists are read with names, drivers and devices`() {
    #expect(
      SoundCard.parse(cards: Self.desktopCards, pcm: Self.desktopPCM) == [
        SoundCard(
          number: 0, identifier: "PCH", driver: "HDA-Intel", captureDevice: 0, playbackDevice: 0),
        SoundCard(
          number: 1, identifier: "Device", driver: "USB-Audio", captureDevice: 0,
          playbackDevice: 0),
      ])
  }

  @Test(arguments: ["", "--- no soundcards ---\n", "] 0 [", "x [y]: z", "\n\n", " 0 PCH: HDA"])
  func `no cards, or nonsense, are no cards`(cards: String) {
    #expect(SoundCard.parse(cards: cards, pcm: "00-00: a : playback 1\n-:\n99-1\n:") == [])
  }

  @Test
  func `the first card that captures and plays is taken`() {
    let cards = SoundCard.parse(cards: Self.desktopCards, pcm: Self.desktopPCM)
    #expect(
      JackServerCommand.driver(for: cards)
        == .alsa(capture: "hw:PCH,0", playback: "hw:PCH,0", isUSB: false))
    #expect(
      JackServerCommand.driver(for: Array(cards.dropFirst()))
        == .alsa(capture: "hw:Device,0", playback: "hw:Device,0", isUSB: true))
  }

  @Test
  func `two halves make a whole, and a screen comes last`() {
    let cards = SoundCard.parse(cards: Self.piCards, pcm: Self.piPCM)
    #expect(
      JackServerCommand.driver(for: cards)
        == .alsa(capture: "hw:Microphone,0", playback: "hw:Headphones,0", isUSB: true))
    #expect(
      JackServerCommand.driver(for: [cards[0]])
        == .alsa(capture: nil, playback: "hw:vc4hdmi0,0", isUSB: false))
    #expect(
      JackServerCommand.driver(for: [cards[2]])
        == .alsa(capture: "hw:Microphone,0", playback: nil, isUSB: true))
  }

  @Test(arguments: ["Loopback", "Dummy"])
  func `cards that only pretend do not count`(driver: String) {
    let card = SoundCard(
      number: 0, identifier: driver, driver: driver, captureDevice: 0, playbackDevice: 0)
    #expect(JackServerCommand.driver(for: [card]) == .dummy)
    #expect(JackServerCommand.driver(for: []) == .dummy)
  }

  @Test(arguments: [
    (JackServerCommand.Driver.dummy, Int?.some(70), "-R -P 70 -n s -d dummy -r 48000 -p 64"),
    (.dummy, nil, "-r -n s -d dummy -r 48000 -p 64"),
    (
      .alsa(capture: "hw:A,0", playback: "hw:A,0", isUSB: false), 70,
      "-R -P 70 -n s -d alsa -d hw:A,0 -r 48000 -p 128 -n 2"
    ),
    (
      .alsa(capture: "hw:A,0", playback: "hw:B,1", isUSB: true), nil,
      "-r -n s -d alsa -C hw:A,0 -P hw:B,1 -r 48000 -p 128 -n 3"
    ),
    (
      .alsa(capture: nil, playback: "hw:B,1", isUSB: false), 10,
      "-R -P 10 -n s -d alsa -P hw:B,1 -r 48000 -p 128 -n 2"
    ),
  ])
  func `the command line is what jackd takes`(
    driver: JackServerCommand.Driver, priority: Int?, expected: String
  ) {
    let command = JackServerCommand(driver: driver, serverName: "s", realtimePriority: priority)
    #expect(command.arguments.joined(separator: " ") == expected)
  }

  @Test(arguments: [true, false])
  func `a period that is asked for stands in place of the driver's`(isDummy: Bool) {
    let card = JackServerCommand.Driver.alsa(capture: "hw:A,0", playback: nil, isUSB: false)
    let command = JackServerCommand(
      driver: isDummy ? .dummy : card, serverName: "s", periodFrames: 512)
    #expect(command.arguments.joined(separator: " ").contains("-r 48000 -p 512"))
  }
}
