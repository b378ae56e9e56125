import Remote
import Testing

@testable import NodeDaemon

@Suite struct ConfigurationFileTests {
  static let mistakes: [(text: String, words: String)] = [
    ("name = \"a\"\n\nptimes = 5", "/c.toml:3: unknown key \"ptimes\"; did you mean \"ptime\"?"),
    (
      "jack_server = \"a\"", "/c.toml:1: unknown key \"jack_server\"; did you mean \"jack-server\"?"
    ),
    (
      "connect = false",
      "/c.toml:1: unknown key \"connect\"; did you mean \"no-connect\", its opposite?"
    ),
    (
      "no-via-plugin = true",
      "/c.toml:1: unknown key \"no-via-plugin\"; did you mean \"via-plugin\", its opposite?"
    ),
    ("weather = 1", "/c.toml:1: unknown key \"weather\""),
    ("# c\n[peer-list]\nname = 1", "/c.toml:2: unknown key \"peer-list\""),
    ("config = \"x\"", "/c.toml:1: \"config\" is a flag only; remove it from the file"),
    ("a.name = 1", "/c.toml:1: unknown key \"a\""),
    ("ptime = 5\nbitrate = \"64\"", "/c.toml:2: bitrate must be a whole number"),
    ("bitrate = 64.5", "/c.toml:1: bitrate must be a whole number"),
    ("ptime = true", "/c.toml:1: ptime must be a number"),
    ("ptime = nan", "/c.toml:1: ptime must be a number"),
    ("name = 3", "/c.toml:1: name must be text in quotes"),
    ("via-plugin = 1", "/c.toml:1: via-plugin must be true or false"),
    ("peer = [1]", "/c.toml:1: peer must be a list of texts, [\"…\", \"…\"]"),
    ("playout-delay = \"soon\"", "/c.toml:1: playout-delay must be a number or \"auto\""),
    ("playout-delay = [1]", "/c.toml:1: playout-delay must be a number or \"auto\""),
    ("[ptime]\nx = 1", "/c.toml:1: ptime must be a number"),
    ("ptime = 7", "/c.toml:1: ptime must be one of 2.5|5|10|20|40|60, not 7"),
    ("log-level = \"loud\"\nptime = 7", "/c.toml:1: log-level must be one of "),
  ]

  @Test(arguments: mistakes)
  func `a mistake is told with its file, line and key`(text: String, words: String) {
    let complaint = TestSurroundings.complaint(text)
    #expect(complaint?.hasPrefix(words) == true, "\(complaint ?? "none")")
  }

  @Test(arguments: [
    ("name = \"a\"\nptime = = 5", 2), ("name = \"a", 1), ("\n\n]", 3), ("ptime = 5\nptime = 6", 2),
  ])
  func `what is not TOML is told with its line`(text: String, line: Int) {
    let complaint = TestSurroundings.complaint(text)
    #expect(complaint?.hasPrefix("/c.toml:\(line): not TOML: ") == true, "\(complaint ?? "none")")
  }

  @Test func `mistakes in a file and on the command line end differently`() {
    let file = DaemonError.setting(.ptime, origin: .file(path: "/c", line: 1), words: "")
    let flag = DaemonError.setting(.ptime, origin: .flag(.ptime), words: "")
    #expect(file.exitCode == 78)
    #expect(flag.exitCode == 64)
    #expect(DaemonError.control(.alreadyServed(path: "/s")).exitCode == 69)
    #expect(DaemonError.control(.foreignSocket(path: "/s", ownerID: 1)).exitCode == 77)
    #expect(
      DaemonError.control(.system(operation: "listen at", path: "/s", code: 28)).exitCode == 71)
  }

  @Test func `the lines of keys are found between everything that TOML has`() {
    let text = """
      # ptime = 1
      name = "a # b = \\" c" # listen = 2
        "quoted key" = 1
      'literal' = 'x\\'
      peer = [ # control = 3
        "127.0.0.1:1", # "
        '''
      bitrate = 4
      ''', \"""
      log-level = 5 \\\"""
      \""" ]
      dotted . key = { a = "}" }
      long = \"""two ""quotes""\"""
      [table]
      ptime = 6
      [[array]]
      ptime = 7
      """
    #expect(
      KeyLines.find(in: text) == [
        "name": 2, "quoted key": 3, "literal": 4, "peer": 5, "dotted": 12, "long": 13, "table": 14,
        "table.ptime": 15, "array": 16, "array.ptime": 17,
      ])
  }

  @Test(arguments: ["", "a", "a =", "[", "\"", "'''", "a = \"\\", "= = =", "a = [[["])
  func `text that is no TOML does not trap the search for lines`(text: String) {
    _ = KeyLines.find(in: text)
  }

  @Test(arguments: [
    ("ptimee", "ptime"), ("peers", "peer"), ("jackserver", "jack-server"), ("x", nil), ("pt", nil),
    ("playout-dealy", "playout-delay"), ("volume", nil),
  ])
  func `only what is near is suggested`(word: String, suggestion: String?) {
    let known = Setting.allCases.map(\.rawValue)
    #expect(NearestWord.find(word, among: known) == suggestion)
  }
}
