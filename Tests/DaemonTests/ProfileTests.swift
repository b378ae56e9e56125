import Audio
import EventLoop
import Intercom
import Testing
import Voice

@testable import NodeDaemon

@Suite struct ProfileTests {
  @Test(arguments: Profile.allCases)
  func `a profile chosen for the daemon is what the node is told`(profile: Profile) throws {
    let chosen = try TestSurroundings.load(flags: [(.profile, profile.rawValue)])
    let address = SocketAddress.loopback(port: 5004)
    let told = IntercomConfiguration(chosen.configuration, listen: address)
    var wanted = IntercomConfiguration(name: "a", listen: address, softwareVersion: "1")
    wanted.take(profile)
    #expect(told.framesPerPacket == wanted.framesPerPacket)
    #expect(told.bitsPerSecond == wanted.bitsPerSecond)
    #expect(told.mostBitsPerSecond == wanted.mostBitsPerSecond)
    #expect(told.application == wanted.application)
    #expect(told.complexity == wanted.complexity)
    #expect(told.bandwidth == wanted.bandwidth)
    #expect(told.lateShare == wanted.lateShare)
    #expect(told.voice == profile.settings.voice)
    #expect(told.voice == (profile == .stage ? VoiceSettings() : .light))
  }

  static let merges: [(file: String, flags: [(Setting, String)], ptime: String, origin: String)] = [
    ("profile = \"saver\"", [], "40", "profile saver"),
    ("profile = \"saver\"", [(.profile, "stage")], "2.5", "profile stage"),
    ("profile = \"saver\"", [(.profile, "none")], "10", "default"),
    ("ptime = 20\nprofile = \"saver\"", [], "20", "/c.toml:1"),
    ("ptime = 20", [(.profile, "stage")], "20", "/c.toml:1"),
    ("ptime = 20", [(.ptime, "5"), (.profile, "stage")], "5", "--ptime"),
  ]

  @Test(arguments: merges)
  func `flags win over the file, the file over the profile, the profile over the defaults`(
    file: String, flags: [(Setting, String)], ptime: String, origin: String
  ) throws {
    let effective = try TestSurroundings.load(file, flags: flags)
    #expect("\(effective.configuration.value(of: .ptime))" == ptime)
    #expect((effective.origins[.ptime] ?? .builtIn).words == origin)
  }

  @Test func `the effective configuration names the profile and what comes of it`() throws {
    let effective = try TestSurroundings.load(flags: [(.profile, "saver"), (.bitrate, "18")])
    let printed = ConfigurationText.text(effective, version: "1")
    #expect(printed.contains("# From --profile.\nprofile = \"saver\""))
    #expect(printed.contains("# From profile saver.\nptime = 40"))
    #expect(printed.contains("# From profile saver.\nbandwidth = \"wide\""))
    #expect(printed.contains("# From --bitrate.\nbitrate = 18"))
    #expect(try TestSurroundings.load(printed).configuration == effective.configuration)
  }

  @Test(
    arguments: [("2.5", "64", 144), ("5", "64", 104), ("10", "64", 96), ("10", "20", 48)]
      as [(String, String, Int)])
  func `the usual bound has room for a copy in packets of any length`(
    ptime: String, bitrate: String, kilobits: Int
  ) throws {
    let effective = try TestSurroundings.load(flags: [(.ptime, ptime), (.bitrate, bitrate)])
    #expect(effective.configuration.effectiveBitrateMaximumKilobits == kilobits)
  }

  @Test func `a bit rate above the profile's bound takes the usual bound along`() throws {
    let effective = try TestSurroundings.load(flags: [(.profile, "saver"), (.bitrate, "100")])
    #expect(effective.configuration.effectiveBitrateMaximumKilobits == 150)
    #expect(effective.origins[.bitrateMax] == nil)
    let asked: [(Setting, String)] = [
      (.profile, "saver"), (.bitrate, "100"), (.bitrateMax, "64"),
    ]
    #expect(
      TestSurroundings.complaint(flags: asked)?.contains("is less than bitrate") == true)
  }
}
