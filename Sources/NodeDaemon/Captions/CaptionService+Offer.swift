internal import Captions
internal import Cryptography
internal import EventLoop
internal import Lines
internal import Logging
internal import Mesh

/// Whether a node captions by itself while somebody who reads is on its lines.
struct CaptionOffering {
  static let lookNanoseconds: Int64 = 5_000_000_000

  /// Until its user turns captions off.
  var isOn: Bool
  /// Whether it does so now.
  var isAutomatic = false
  /// Whether it is being decided.
  var isDeciding = false
  /// When it is looked at again who is on which line.
  private(set) var deadlineNanoseconds: Int64 = .max

  init(isOn: Bool) {
    self.isOn = isOn
    if isOn { deadlineNanoseconds = .min }
  }

  mutating func look(nowNanoseconds now: Int64) {
    deadlineNanoseconds = isOn ? now + Self.lookNanoseconds : .max
  }
}

/// Captions by itself for members who read.
extension CaptionService {
  /// Begins captions where somebody reads on a line of this node, and ends them when they are gone.
  ///
  /// Of several members that offer it and hear the same line the first by ID does it. When it goes, the next one does.
  func followReaders() async {
    offer.look(nowNanoseconds: EventLoop.nowNanoseconds())
    let isFree = captioner == nil || offer.isAutomatic
    hosted.follow(offersCaptions: offer.isOn && isFree)
    settle()
    guard isFree, !offer.isDeciding, !hasFinished else { return }
    offer.isDeciding = true
    defer { offer.isDeciding = false }
    let isWanted = offer.isOn && isChosen
    if captioner == nil, isWanted, !isCaptionedByOthers {
      do throws(CaptionProblem) {
        try await caption(line: nil, members: [])
        offer.isAutomatic = true
        changed()
      } catch {
        parts.log.event(.captionsFailed, at: .debug, "\(error)")
      }
    } else if offer.isAutomatic, !isWanted {
      await stopCaptioner()
    }
  }

  /// Lines that this node hears and somebody who reads is on.
  private var readLines: [LineView] {
    func reads(_ profile: NodeProfile?) -> Bool {
      profile?.people == .deaf || profile?.people == .both
    }
    return directory.lines.filter { view in
      view.isJoined
        && (reads(directory.ownProfile) || view.members.contains { reads(directory.profiles[$0]) })
    }
  }

  /// Whether no other member that offers it comes first.
  private var isChosen: Bool {
    let (captioners, own) = (hosted.captioners, parts.own)
    return readLines.contains { view in
      !view.members.contains { captioners.contains($0) && $0 < own }
    }
  }

  private var isCaptionedByOthers: Bool {
    desk.transcripts.values.contains { $0.isLive && $0.key.captioner != parts.own }
  }
}
