internal import Glibc
internal import JackSession

/// Which PipeWire there is to play on, and whether by its JACK.
struct PipeWireFacts: Hashable, Sendable {
  /// Names of the users whose PipeWire runs, the one who asks first; as far as that one may look.
  var users: [String] = []
  /// Whether one of them is who asks.
  var isOwn = false
  /// Whether there is `pw-jack`.
  var hasWrapper = false
  /// Whether programs of this user get PipeWire's libjack without it.
  var isDefault = false

  private static let wrapper = "/usr/bin/pw-jack"

  /// How it is on this machine.
  static func ofThisMachine() -> PipeWireFacts {
    let own = PipeWireSocket.ofThisProcess()
    let all = [own].compactMap { $0 } + PipeWireSocket.ofAllUsers().filter { $0 != own }
    return PipeWireFacts(
      users: all.map { name(ofUser: $0.user) }, isOwn: own?.user == geteuid(),
      hasWrapper: unsafe access(wrapper, X_OK) == 0,
      isDefault: JackImplementation.ofThisProcess.kind == .pipeWire)
  }

  private static func name(ofUser number: UInt32) -> String {
    guard let entry = unsafe getpwuid(number), let name = unsafe entry.pointee.pw_name else {
      return "\(number)"
    }
    return unsafe String(cString: name)
  }
}

/// What to do where PipeWire is the server.
extension PipeWireFacts {
  static let restart = "systemctl --user restart pipewire wireplumber"
  static let start = "systemctl --user start pipewire wireplumber"

  /// How comlinkd comes to play on it; empty where none runs.
  ///
  /// - Parameter isService: comlinkd is systemd's service, whose user has no PipeWire.
  func cures(isService: Bool) -> [String] {
    guard let user = users.first else { return isDefault ? [Self.start] : [] }
    let install = hasWrapper ? [] : ["sudo apt-get install pipewire-jack"]
    if isService {
      return install + [
        "sudo systemctl disable --now comlink.target; then as \(user): systemctl --user enable --now comlinkd"
      ]
    }
    guard isOwn else {
      return install + ["start comlinkd as \(user), whose PipeWire it is: pw-jack comlinkd"]
    }
    return install + [
      "start it by: pw-jack comlinkd",
      "or give every JACK program PipeWire's library: "
        + "sudo cp /usr/share/doc/pipewire/examples/ld.so.conf.d/pipewire-jack-*.conf "
        + "/etc/ld.so.conf.d/ && sudo ldconfig",
    ]
  }

  /// What is seen of it; nil: none runs.
  func words(isService: Bool) -> String? {
    guard let user = users.first else { return nil }
    if isService { return "PipeWire of user \(user) runs, which the service's user cannot reach" }
    return isOwn
      ? "PipeWire runs, which jackd's libjack does not find" : "PipeWire of user \(user) runs"
  }
}
