import ArgumentParser
import Testing

@testable import NodeDaemon

@Suite struct SettingTests {
  static let refused: [(Setting, String, words: String)] = [
    (.name, "", "must have 1 to 63 bytes"),
    (.name, String(repeating: "ä", count: 32), "must have 1 to 63 bytes"),
    (.name, " a", "must have 1 to 63 bytes"),
    (.name, "a\nb", "must have 1 to 63 bytes"),
    (.jackClient, "a:b", "must not contain a colon"),
    (.jackServer, "", "must have 1 to 63 bytes"),
    (.listen, "127.0.0.1", "cannot be used: “127.0.0.1” has no port: write ADDRESS:PORT"),
    (.listen, "", "has no port"),
    (.listen, ":", "has no port"),
    (.listen, ":5004", "has no address before the port"),
    (.listen, "127.0.0.1:65536", "port 65536 in"),
    (.listen, "127.0.0.1:-1", "“-1” in"),
    (.listen, "127.0.0.1:٣", "“٣” in"),
    (.listen, "256.0.0.1:1", "“256.0.0.1” in “256.0.0.1:1” is not an IPv4 address"),
    (.listen, "1.2.3:1", "“1.2.3” in “1.2.3:1” is not an IPv4 address"),
    (.listen, "::1:5004", "write it in brackets"),
    (.listen, "[::1]", "has no port"),
    (.listen, "[::g]:1", "is not an IPv6 address"),
    (.listen, "a b:1", "“a b” in “a b:1” is neither an address nor a host name"),
    (.listen, "a..b:1", "is neither an address nor a host name"),
    (.peer, "127.0.0.1:0", "must have a port from 1 to 65535"),
    (.maxPeers, "0", "must be from 1 to 64, not 0"),
    (.maxPeers, "65", "must be from 1 to 64, not 65"),
    (.maxPeers, "many", "must be a whole number"),
    (.ptime, "3", "must be one of 2.5|5|10|20|40|60, not 3"),
    (.ptime, "inf", "must be a number"),
    (.ptime, "", "must be a number"),
    (.bitrate, "5", "must be from 6 to 510, not 5"),
    (.bitrate, "511", "must be from 6 to 510, not 511"),
    (.bitrate, "64k", "must be a whole number"),
    (.bitrateMax, "5", "must be from 6 to 2000, not 5"),
    (.bitrateMax, "much", "must be a number or \"auto\""),
    (.bitrateMax, "48", "is less than bitrate, 64"),
    (.profile, "club", "must be one of stage|wifi|saver|none, not \"club\""),
    (.complexity, "11", "must be from 0 to 10, not 11"),
    (.bandwidth, "narrow", "must be one of wide|full, not \"narrow\""),
    (.application, "audio", "must be one of lowdelay|voip|auto, not \"audio\""),
    (.playoutDelay, "-1", "must be from 0 to 1000, not -1"),
    (.playoutDelay, "automatic", "must be a number or \"auto\""),
    (.playoutDelayMax, "9.5", "must be from 10 to 1000, not 9.5"),
    (.lateRate, "0", "must be from 0.01 to 20, not 0"),
    (.lateRate, "few", "must be a number"),
    (.sidetone, "-60.5", "must be from -60 to 0, not -60.5"),
    (.sidetone, "1", "must be from -60 to 0, not 1"),
    (.sidetone, "loud", "must be a number or \"off\""),
    (.voiceHighPass, "10", "must be from 20 to 400, not 10"),
    (.voiceHighPass, "deep", "must be a number or \"off\", not \"deep\""),
    (.voiceSuppress, "much", "must be one of off|light|strong|strongest, not \"much\""),
    (.voiceSuppressMix, "101", "must be from 0 to 100, not 101"),
    (.voiceGain, "loud", "must be a number or \"auto\" or \"off\", not \"loud\""),
    (.voiceGain, "41", "must be from -20 to 40, not 41"),
    (.voiceTarget, "0", "must be from -32 to -12, not 0"),
    (.voiceGate, "-90", "must be from -80 to -10, not -90"),
    (.voiceVox, "on", "must be a number or \"voice\" or \"off\", not \"on\""),
    (
      .voiceEffect, "robot",
      "must be one of radio|reverb|pitch|off or pitch-12 to pitch+12, not \"robot\""
    ),
    (.voiceLimit, "1", "must be from -20 to 0, not 1"),
    (.speechASR, "http://127.0.0.1:1", "must be tcp://HOST:PORT"),
    (.speechTTS, "tcp://192.168.1.5:10200", "is another machine, and sound would go there"),
    (.speechAllow, "a/b", "must be host names or addresses"),
    (.speechWake, "ok_nabu", "must be tcp://HOST:PORT"),
    (.speechSatellite, "10700", "has no port"), (.speechSatellite, "0.0.0.0:0", "must have a port"),
    (.speechLanguage, "english", "must be a language such as en"),
    (.speechLanguage, "e n", "must be a language"),
    (.speechSatelliteAllow, "ha.local", "must be addresses without port"),
    (.assistantLine, " x", "must be the name of a line"),
    (.assistantWords, "", "must be at most 16 words of 1 to 64 bytes"),
    (.captionsTranscripts, "here", "must be an absolute path"),
    (.program, "on", "must be one of off|mono|stereo"),
    (.input, "In 1", "small letters"), (.input, "program", "that is --program"),
    (.bus, "a=anna,-bo", "either who is on bus a or who is not"), (.bus, "=anna", "1 to 20"),
    (.control, "", "must be a path"),
    (.control, "/" + String(repeating: "x", count: 107), "at most 107 bytes"),
    (.logLevel, "INFO", "must be one of trace|debug|info"),
    (.noDiscovery, "yes", "must be true or false"),
    (.metrics, "9464", "has no port"),
    (.page, "8443", "has no port"), (.pageTrust, "on", "has no port"),
    (.pageKey, "/k.pem", "is of no use without page-certificate"),
    (.pageCertificate, "/c.pem", "needs its private key"),
    (.policy, "all", "must be one of ask|group-only|open"),
    (.colour, "red", "must be six hexadecimal digits"), (.colour, "-fffff", "hexadecimal"),
    (.role, " x", "no space at either end"),
    (.people, "blind", "must be one of deaf|hearing|both, not \"blind\""),
    (.messageAloud, "on", "must be one of asked|all|off, not \"on\""),
  ]

  @Test(arguments: refused)
  func `a value that will not do is refused in words`(
    setting: Setting, text: String, words: String
  ) {
    let complaint = TestSurroundings.complaint(flags: [(setting, text)])
    #expect(complaint?.contains(words) == true, "\(complaint ?? "none")")
  }

  static let taken: [(Setting, String)] = [
    (.name, String(repeating: "ä", count: 31)), (.name, "Bühne links \"A\" \\ 1"),
    (.listen, "127.0.0.1:0"), (.listen, "[::1]:5004"), (.listen, "localhost:5004"),
    (.peer, "studio-b.local:5004"), (.peer, "127.1.2.3:65535"), (.maxPeers, "1"), (.ptime, "2.5"),
    (.ptime, "60"), (.bitrateMax, "auto"), (.bitrateMax, "96"), (.bitrate, "6"), (.bitrate, "510"),
    (.application, "voip"), (.complexity, "0"), (.bandwidth, "wide"), (.profile, "none"),
    (.profile, "saver"), (.playoutDelay, "0"), (.playoutDelay, "7.25"), (.playoutDelay, "auto"),
    (.playoutDelayMax, "1000"), (.lateRate, "0.1"), (.jackServer, "studio"),
    (.program, "stereo"), (.input, "desk"), (.bus, "foh"), (.bus, "ifb=-anna,-bo"),
    (.bus, "solo=anna,stage left"), (.bus, "none="), (.sidetone, "-60"), (.sidetone, "-18.5"),
    (.sidetone, "0"), (.sidetone, "off"),
    (.voiceHighPass, "80"), (.voiceHighPass, "off"), (.voiceEcho, "auto"),
    (.voiceSuppress, "strong"), (.voiceSuppressMix, "70"),
    (.speechASR, "tcp://localhost:10300"), (.speechTTS, "unix:///run/tts.sock"),
    (.speechAllow, "speech.local"), (.captionsTranscripts, "/srv/transcripts"),
    (.captionsOffer, "true"), (.speechWake, "tcp://localhost:10400"),
    (.speechLanguage, "en"), (.speechLanguage, "pt-BR"),
    (.speechSatellite, "[::]:10700"), (.speechSatelliteAllow, "192.168.1.5"),
    (.speechSatelliteAllow, "fd00::1"), (.assistantLine, "stage"), (.assistantWords, "ok_nabu"),
    (.voiceGain, "auto"), (.voiceGain, "-6.5"), (.voiceTarget, "-23"),
    (.voiceGate, "-50"), (.voiceVox, "voice"), (.voiceEffect, "radio"), (.voiceLimit, "-3"),
    (.jackClient, "intercom"),
    (.noConnect, "true"), (.noDiscovery, "true"), (.viaPlugin, "true"),
    (.pluginSocket, "/tmp/a b/plugin.sock"),
    (.policy, "group-only"), (.role, "stage left"), (.role, ""), (.colour, "00ff0a"),
    (.people, "deaf"), (.people, ""), (.messageAloud, "all"), (.messageAloud, "off"),
    (.logLevel, "trace"),
    (.metrics, ""), (.metrics, "127.0.0.1:9464"), (.page, ""), (.page, "[::]:8443"),
    (.pageTrust, "auto"), (.pageTrust, "off"), (.pageTrust, "[::]:80"),
    (.state, ""), (.state, "/srv/comlink"), (.control, "/tmp/a b/\u{1}\t\n\"'\\#.sock"),
  ]

  @Test(arguments: taken)
  func `what is printed as effective is read back as the same`(
    setting: Setting, text: String
  ) throws {
    var flags = [(setting, text)]
    if text == "510" { flags.append((.ptime, "5")) }
    let effective = try TestSurroundings.load(flags: flags)
    let printed = ConfigurationText.text(effective, version: "1.2.3")
    let read = try TestSurroundings.load(printed)
    #expect(read.configuration == effective.configuration)
    #expect(read.origins.count == Setting.allCases.count)
    #expect(printed.contains("# From --\(setting.rawValue).\n\(setting.key) = "))
  }

  @Test(arguments: Setting.allCases)
  func `every setting gives back the value it takes`(setting: Setting) throws {
    var configuration = Configuration(hostName: "a", environment: [:])
    let value = configuration.value(of: setting)
    try configuration.set(setting, to: value)
    #expect(configuration == Configuration(hostName: "a", environment: [:]))
    #expect(!setting.summary.isEmpty)
    #expect(setting.kind == .boolean || !setting.placeholder.isEmpty)
  }

  @Test func `every setting has its flag`() throws {
    let help = Options.helpMessage()
    for setting in Setting.allCases { #expect(help.contains("--\(setting.rawValue)")) }
  }

  @Test(arguments: [
    (Application.auto, PacketTime.ms2point5, 16, Application.lowdelay),
    (.auto, .ms10, 64, .lowdelay),
    (.auto, .ms10, 31, .voip), (.auto, .ms60, 24, .voip), (.voip, .ms5, 64, .voip),
    (.lowdelay, .ms60, 16, .lowdelay),
  ])
  func `auto chooses what Opus is tuned for`(
    choice: Application, ptime: PacketTime, bitrate: Int, result: Application
  ) {
    #expect(choice.resolved(ptime: ptime, bitrateKilobits: bitrate) == result)
  }

  @Test(arguments: zip(PacketTime.allCases, [120, 240, 480, 960, 1920, 2880]))
  func `a packet time is so many frames`(ptime: PacketTime, frames: Int) {
    #expect(ptime.frames == frames)
  }

  static let conflicts: [(flags: [(Setting, String)], words: String)] = [
    ([(.listen, "127.0.0.1:1"), (.peer, "127.0.0.1:1")], "this node's own address"),
    (
      [(.listen, "127.0.0.1:1"), (.peer, "192.0.2.1:1")],
      "cannot be reached from the loopback address"
    ),
    ([(.bitrate, "510"), (.ptime, "20")], "with that ptime it can be 440 at most"),
    ([(.playoutDelay, "121")], "is more than playout-delay-max"),
  ]

  @Test(arguments: conflicts)
  func `settings that do not go together are refused`(
    flags: [(Setting, String)], words: String
  ) {
    let complaint = TestSurroundings.complaint(flags: flags)
    #expect(complaint?.contains(words) == true, "\(complaint ?? "none")")
  }

  @Test func `peers must be few enough and different`() {
    let many = "max-peers = 1\npeer = [\"127.0.0.1:1\", \"127.0.0.1:2\"]"
    #expect(
      TestSurroundings.complaint(many)
        == "/c.toml:2: peer is given 2 times, but max-peers is 1; raise max-peers")
    let twice = "peer = [\"127.0.0.1:1\", \"127.0.0.1:1\"]"
    #expect(TestSurroundings.complaint(twice) == "/c.toml:1: peer names 127.0.0.1:1 twice")
  }
}
