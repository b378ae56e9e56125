internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Remote
internal import StatusSchema
internal import Store

/// `comlink id`: who this node is.
struct IDCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "id", abstract: "Shows this node's identity, or makes a new one.",
    subcommands: [IDShowCommand.self, IDNewCommand.self],
    defaultSubcommand: IDShowCommand.self)
}

/// `comlink id show`, and `comlink id` alone.
struct IDShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows this node's fingerprint, as letters and as words.",
    discussion: """
      The fingerprint is the node's stable ID: a hash of its public key, the same at every start. The \
      words are its first 64 bits, for two people to compare; neither is secret.
      """)

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let answer = try RemoteOptions.answer(of: &client, to: .status)
    guard case .status(let status) = answer, let id = status.node.id,
      let words = status.node.idWords
    else { throw RemoteFailure.unexpectedAnswer }
    print("name         \(PlainText.cleaned(status.node.name))")
    print("fingerprint  \(PlainText.cleaned(id))")
    print("words        \(PlainText.cleaned(words))")
    if let problem = status.node.identityProblem {
      print("for this run only: \(PlainText.cleaned(problem))")
    }
    if let twin = status.node.identityTwin {
      print("problem: \(PlainText.cleaned(twin)); \(NodeStatus.twinAdvice)")
    }
    if let problem = status.node.trustProblem {
      print("trust unknown: \(PlainText.cleaned(problem))")
    }
  }
}

/// `comlink id new`: another identity, for one of two nodes that have the same.
struct IDNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Makes a new identity, from comlinkd's next start on.",
    discussion: """
      For a node whose SD card or state was copied: two nodes of one identity cannot be in one intercom. \
      Groups stay, so its groups let it in as before. What others hold about it is lost: who paired with it, \
      accepted or blocked it has to do so again. Without a running comlinkd the identity in the state directory is \
      replaced. To copy a card without this, remove \(StatePath.system) from the copy first.
      """)

  @Option(
    help: ArgumentHelp(
      "The state directory, where comlinkd does not run and has another than usual.",
      valueName: "DIR"))
  var state: String?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    do throws(RemoteFailure) {
      // A slow disk may take its time.
      var client = try remote.connect(timeout: .seconds(30))
      try tell(try RemoteOptions.answer(of: &client, to: .identityNew))
    } catch {
      guard case .remote(.noServer) = error else { throw error }
      try tell(.newIdentity(try renewByHand()))
    }
  }

  private func tell(_ answer: ControlResponse) throws(RemoteFailure) {
    guard case .done(let note) = answer else { throw .unexpectedAnswer }
    print(PlainText.cleaned(note))
  }

  private func renewByHand() throws(RemoteFailure) -> [String] {
    let environment = ProcessInfo.processInfo.environment
    guard let directory = state ?? StatePath.standard(environment: environment) else {
      throw .refused("\(StoreError.noPlace)")
    }
    var facts = stat()
    guard unsafe stat(directory, &facts) == 0 else {
      throw .refused(
        "no comlinkd runs, and there is no state in \(directory): the first start makes an identity "
          + "(--state names another directory)")
    }
    // The service's directory is its user's, and so must be what is written there.
    if geteuid() == 0, facts.st_uid != 0 {
      guard setegid(facts.st_gid) == 0, seteuid(facts.st_uid) == 0 else {
        throw .needsRoot(command: "comlink id new")
      }
    }
    do throws(StoreError) {
      return try NodeState.renewIdentity(in: directory)
    } catch {
      guard case .busy = error else { throw .refused("\(error)") }
      throw .refused("a comlinkd that uses \(directory) runs: name its socket by --control")
    }
  }
}
