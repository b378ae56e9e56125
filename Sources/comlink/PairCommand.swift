internal import ArgumentParser
internal import Remote

/// `comlink pair`: makes two nodes trust each other by six digits.
struct PairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Pairs two nodes by a PIN: --show on one, --with NAME on the other.",
    discussion: """
      The node that shows the PIN shares its group (a node without one takes the other's), and the two trust each \
      other from then on. A PIN lasts two minutes, five tries and one pairing. Without --pin comlink prompts for \
      it, which keeps it from other users and out of the shell's history.
      """)

  @Flag(help: "Shows a PIN to type on the other node.") var show = false
  @Option(
    help: ArgumentHelp("With --show: the group to share with the other node.", valueName: "GROUP"))
  var group: String?
  @Option(
    name: .customLong("with"),
    help: ArgumentHelp("The node that shows the PIN, by name or ADDR:PORT.", valueName: "NAME"))
  var peer: String?
  @Option(help: ArgumentHelp("The six digits on that node; prompts by default.", valueName: "PIN"))
  var pin: String?
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard show != (peer != nil) else {
      throw ValidationError("give --show, or --with NAME on the other node")
    }
    guard show || group == nil else { throw ValidationError("--group needs --show") }
    guard !show || pin == nil else { throw ValidationError("--pin needs --with") }
  }

  func run() throws {
    guard let peer else { return try showPIN() }
    let typed = pin ?? ask()
    var client = try remote.connect(timeout: .seconds(40))
    let request = ControlRequest.pairWith(peer: peer, pin: SecretText(typed))
    guard case .knownNodes(let known) = try RemoteOptions.answer(of: &client, to: request) else {
      throw RemoteFailure.unexpectedAnswer
    }
    print("paired with")
    print(KnownNodeTable.text(known), terminator: "")
  }

  private func ask() -> String {
    PlainText.note("type the PIN that the other node shows:")
    return readLine() ?? ""
  }

  private func showPIN() throws {
    var client = try remote.connect()
    let request = ControlRequest.pairShow(group: group)
    guard case .pin(let pin, let seconds) = try RemoteOptions.answer(of: &client, to: request)
    else { throw RemoteFailure.unexpectedAnswer }
    print("\(pin.text.prefix(3)) \(pin.text.dropFirst(3))")
    PlainText.note(
      "valid for \(Int(seconds)) s and five tries. On the other node run: comlink pair --with NAME")
  }
}
