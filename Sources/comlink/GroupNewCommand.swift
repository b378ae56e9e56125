internal import ArgumentParser
internal import Barcode
internal import Glibc
internal import Remote

/// `comlink group new NAME`: makes a group and shows its invitation, once.
struct GroupNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Makes a group and shows the invitation to it, once.")

  @Argument(help: "The group's name, at most 63 bytes.") var name: String
  @Flag(inversion: .prefixedNo, help: "As a QR code, too; by default in a terminal.")
  var qr: Bool?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let answer = try RemoteOptions.answer(of: &client, to: .groupNew(name: name))
    guard case .invitation(let invitation) = answer else { throw RemoteFailure.unexpectedAnswer }
    if qr ?? (isatty(STDOUT_FILENO) == 1), let code = QRCode(invitation.text) {
      print(code.terminalText)
    }
    print(invitation.text)
    PlainText.note(
      "whoever has this text has the group's secret; it is not shown again. On the other nodes: "
        + "comlink group join -")
  }
}
