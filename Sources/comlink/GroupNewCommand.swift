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
    // A slow disk may take its time, and an invitation that nobody waits for is never shown.
    var client = try remote.connect(timeout: .seconds(30))
    let answer = try answer(of: &client)
    guard case .invitation(let invitation) = answer else { throw RemoteFailure.unexpectedAnswer }
    if qr ?? (isatty(STDOUT_FILENO) == 1), let code = QRCode(invitation.text) {
      print(code.terminalText)
    }
    print(invitation.text)
    PlainText.note(
      "whoever has this text has the group's secret; it is not shown again. On the other nodes: "
        + "comlink group join -")
  }

  private func answer(of client: inout ControlClient) throws(RemoteFailure) -> ControlResponse {
    do throws(RemoteFailure) {
      return try RemoteOptions.answer(of: &client, to: .groupNew(name: name))
    } catch {
      switch error {
      case .remote(.timedOut(let path, let seconds)):
        throw .groupUnknown(name: name, .timedOut(path: path, seconds: seconds))
      case .remote(.disconnected(let path)):
        throw .groupUnknown(name: name, .disconnected(path: path))
      default: throw error
      }
    }
  }
}
