public import ControlPlane
internal import Cryptography
internal import Glibc
public import Intercom
internal import Logging
public import Messages
public import Store

/// What the node keeps from start to start.
extension Daemon {
  /// Opens it and counts this start; what cannot be kept is told, and is no reason not to talk.
  func openState() throws(DaemonError) -> NodeState {
    let path = effective.configuration.statePath
    let state: NodeState
    do throws(CryptoError) {
      state = try NodeState(
        directory: path.isEmpty ? nil : path, unixSeconds: Int64(time(nil)))
    } catch {
      throw .identity(error)
    }
    write(state, to: logger("state"))
    return state
  }

  private func write(_ state: NodeState, to log: Logger) {
    log.event(
      .identity, "identity",
      [
        "id": "\(state.id)", "words": "\(state.id.words.joined(separator: " "))",
        "instance": "\(state.instance)",
      ])
    if let problem = state.problem {
      log.event(
        .identityLost, "\(problem); until then this node has another identity at each start")
    }
    if let problem = state.groupsProblem {
      log.event(.groupsLost, "\(problem); this node is in no group now")
    }
    if let problem = state.memoryProblem {
      log.event(.trustLost, "\(problem); this node trusts and blocks nobody now")
    }
    if let problem = state.mixProblem {
      log.event(.mixLost, "\(problem); what is set next replaces it")
    }
    if let problem = state.portsProblem {
      log.event(.portsLost, "\(problem); the next connections replace it")
    }
    if let problem = state.page.problem {
      log.event(.pageLost, "\(problem); phones have to sign in again: comlink page")
    }
    if let problem = state.tokens.problem {
      log.event(.pageLost, "\(problem); programs need new ones: comlink page token new")
    }
    if let problem = state.lines.problem {
      log.event(.linesLost, "\(problem); this node is on line all only")
    }
    if let problem = state.namesProblem {
      log.event(
        .namesLost, "\(problem); whoever comes first has the name without a number")
    }
  }
}

extension ControlPlane: ControlTransport {}

extension ControlLane: ApplicationLane {}

extension NodeState: ControlIdentity {}

extension NodeState: MessageIdentity {}
