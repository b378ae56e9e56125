/// What the files of a take are labelled with.
public struct TakeLabels: Hashable, Sendable {
  /// What the own microphone is called, as the others call it.
  public var nodeName: String
  /// The software and its version.
  public var software: String
  /// When the take began, as the name of its folder: `2026-11-22_14.33.05`.
  public var moment: String
  /// What the serial numbers of Ogg streams count up from; another one each time.
  public var serial: UInt32

  /// Labels of a take.
  public init(nodeName: String, software: String, moment: String, serial: UInt32) {
    self.nodeName = nodeName
    self.software = software
    self.moment = moment
    self.serial = serial
  }

  /// The day of ``moment``.
  var day: String { String(moment.prefix { $0 != "_" }) }
}
