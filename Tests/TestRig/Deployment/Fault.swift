import Glibc
import Remote

/// What a station in the field has to come through.
public enum Fault: String, Sendable, CaseIterable {
  /// The node is killed and started again.
  case kill
  /// The node is ended and started again.
  case restart
  /// The JACK server is killed, and another comes.
  case jack
  /// The JACK server's period changes, and back.
  case period
  /// The sound card is out for two seconds: its ports vanish, and nobody but the node connects those that come.
  case card
  /// The network cable is out for five seconds.
  case cable
  /// Another address, as by a new lease; back at the next time.
  case address
  /// Out of reach for a moment, then elsewhere in the same network: as a radio that roams.
  case roam
  /// The node stands still for three seconds.
  case suspension
  /// The disk with its state is full.
  case disk
  /// Nothing can be written where its state is.
  case readOnly
  /// The wall clock is set a day forth, two back, and right.
  case clock
  /// Its memory is limited to hardly more than it has, and others' files push it out.
  case memory

  /// The longest from the end of it until everybody hears everybody, seconds; 0: nobody is to notice.
  ///
  /// A restart may take two seconds, a link that returns one, as the rest; one more is for the rig, which puts its own
  /// clients to a new server or node and looks every 0.15 s.
  public var recoverySeconds: Double {
    switch self {
    case .kill, .restart, .jack: 3
    case .cable, .address, .roam, .suspension: 2
    case .period, .card: 1
    case .disk, .readOnly, .clock, .memory: 0
    }
  }

  /// Whether the node is another process after it.
  public var endsNode: Bool { self == .kill || self == .restart }

  /// Whether this machine lets us do it.
  public var isPermitted: Bool {
    switch self {
    case .memory: MemoryGroup.isPermitted
    case .readOnly: SmallDisk.canBeClosed
    default: true
    }
  }

  /// Does it to a station; returns at its end, when the station could be as before.
  ///
  /// - Throws: `RigError`.
  public func strike(_ index: Int, of deployment: Deployment) throws(RigError) {
    let site = deployment.sites[index]
    switch self {
    case .kill: try site.restartNode(by: SIGKILL)
    case .restart: try site.restartNode(by: SIGTERM)
    case .jack: try site.replaceServer()
    case .period: try site.changePeriod()
    case .card: try site.replugCard()
    case .cable: try deployment.link.cut(index, seconds: 5)
    case .address: try deployment.link.changeAddress(of: index)
    case .roam:
      try deployment.link.cut(index, seconds: 0.5)
      try deployment.link.changeAddress(of: index)
    case .suspension:
      site.node.process.send(signal: SIGSTOP)
      pause(seconds: 3)
      site.node.process.send(signal: SIGCONT)
    case .disk: try site.fillDisk()
    case .readOnly: try site.closeDisk()
    case .clock: try site.setClock()
    case .memory: try site.pressMemory()
    }
  }
}

extension LinkProcess {
  fileprivate func cut(_ index: Int, seconds: Double) throws(RigError) {
    try setInterface(of: index, isUp: false)
    pause(seconds: seconds)
    try setInterface(of: index, isUp: true)
  }
}
