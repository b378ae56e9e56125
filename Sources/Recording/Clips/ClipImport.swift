internal import CDecode
internal import Glibc
internal import System

/// Makes a voice message of an audio file that anybody may have made.
///
/// It is decoded by a program of its own (`comlink-decode`), which can do nothing but that, for a bounded time.
public struct ClipImport: Sendable {
  private static let programName = "comlink-decode"
  private static let patience = Duration.seconds(30)
  /// So much less than a file states is no damage.
  private static let missingMilliseconds = 100

  private let program: String

  /// - Parameter program: the decoder's path; nil: beside the program that runs, or where the package has it.
  public init(program: String? = nil) { self.program = program ?? Self.found() }

  static func found() -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &path, path.count - 1)
    let own = String(
      decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let beside =
      String(own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex)) + "/" + programName
    return unsafe access(beside, X_OK) == 0 ? beside : "/usr/lib/comlink/\(programName)"
  }

  /// Reads a file; blocks for some seconds, 30 at most: never on a thread that others wait for.
  ///
  /// - Parameter vendor: who writes the message's file.
  public func clip(of file: [UInt8], vendor: String) throws(ClipError) -> Clip {
    guard file.count <= ClipLimits.fileBytes else { throw .tooLarge(byteCount: file.count) }
    guard !file.isEmpty else { throw .empty }
    let file = try PageRecording.file(of: file) ?? file
    guard let kind = AudioKind(of: file) else { throw .unknownKind }
    guard !kind.isCut(file) else { throw .damaged(kind: kind.rawValue) }
    let child: DecodeChild
    do throws(SystemError) {
      child = try DecodeChild(program, kind == .m4a ? "m4a" : "sound", file)
    } catch {
      throw .decoder(words: "\(error)")
    }
    let clip = Result { () throws(ClipError) in
      let comments = ClipMark.isMirrored(file) ? [ClipMark.comment] : []
      return try write(child, kind, vendor, comments)
    }
    let code = child.end(isWanted: clip.isWhole)
    switch code {
    case DecodeChild.missing:
      throw kind == .m4a
        ? .missing(kind: kind.rawValue, package: "ffmpeg")
        : .missing(kind: kind.rawValue, package: "libsndfile1")
    case DecodeChild.unconfined: throw .decoder(words: "this kernel does not confine it")
    default: break
    }
    let result = try clip.get()
    guard code >= 0 else { throw .tooMuch(kind: kind.rawValue) }
    let stated = kind.statedMilliseconds(of: file) ?? 0
    guard code == 0, stated <= result.milliseconds + Self.missingMilliseconds else {
      throw .damaged(kind: kind.rawValue)
    }
    return result
  }

  private func write(
    _ child: DecodeChild, _ kind: AudioKind, _ vendor: String, _ comments: [String]
  ) throws(ClipError) -> Clip {
    let end = ContinuousClock.now + Self.patience
    func octets() throws(ClipError) -> [UInt8]? {
      do throws(SystemError) {
        return try child.read(until: end)
      } catch {
        throw .tooMuch(kind: kind.rawValue)
      }
    }
    var pending: [UInt8] = []
    while pending.count < 4 {
      guard let more = try octets() else { throw .damaged(kind: kind.rawValue) }
      pending += more
    }
    let rate = (0..<4).reduce(0) { $0 | Int(pending[$1]) << (8 * $1) }
    guard (8000...192_000).contains(rate) else { throw .damaged(kind: kind.rawValue) }
    pending.removeFirst(4)
    let writer = try ClipWriter(sampleRate: rate, vendor: vendor, comments: comments)
    while true {
      let whole = pending.count / 4
      try writer.write((0..<whole).map { Self.sample(pending, 4 * $0) }, sampleRate: rate)
      pending.removeFirst(4 * whole)
      guard let more = try octets() else { return try writer.finish() }
      pending += more
    }
  }

  private static func sample(_ octets: [UInt8], _ place: Int) -> Float {
    Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(octets[place + $1]) << UInt32(8 * $1) })
  }
}

extension Result<Clip, ClipError> {
  /// Whether all of it was read: then how the decoder ends matters, and it ends by itself.
  fileprivate var isWhole: Bool {
    switch self {
    case .success, .failure(.damaged), .failure(.empty): true
    case .failure: false
    }
  }
}

/// The program that decodes, while it runs.
@safe final class DecodeChild {
  static let missing = Int32(CDECODE_MISSING)
  static let unconfined = Int32(CDECODE_UNCONFINED)
  /// How long it may take to end once all was read, milliseconds.
  private static let grace: Int32 = 500
  private static let pieceBytes = 64 * 1024

  private let process: Int32
  private let output: Int32
  private var hasEnded = false
  private var room = [UInt8](repeating: 0, count: DecodeChild.pieceBytes)

  /// Starts it on a copy of a file in memory.
  init(_ program: String, _ word: String, _ file: [UInt8]) throws(SystemError) {
    var process: Int32 = 0
    output = unsafe cdecode_start(program, word, file, file.count, &process)
    guard output >= 0 else {
      hasEnded = true
      self.process = 0
      throw SystemError(attempt: "start \(program)", errorNumber: -output)
    }
    self.process = process
  }

  deinit { if !hasEnded { _ = cdecode_end(output, process, 0) } }

  /// Some octets of what it writes; nil: that is all.
  ///
  /// - Throws: where none came until then.
  func read(until end: ContinuousClock.Instant) throws(SystemError) -> [UInt8]? {
    let rest = (end - ContinuousClock.now).components
    let milliseconds = max(0, rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000)
    let count = unsafe cdecode_read(
      output, &room, Self.pieceBytes, Int32(clamping: milliseconds))
    guard count >= 0 else {
      throw SystemError(attempt: "wait for the decoder", errorNumber: -count)
    }
    return count == 0 ? nil : Array(room[..<Int(count)])
  }

  /// Ends it, if it does not end by itself: its exit code, or the negative number of a signal.
  ///
  /// - Parameter isWanted: false: nothing that it could still write matters.
  func end(isWanted: Bool) -> Int32 {
    hasEnded = true
    return cdecode_end(output, process, isWanted ? Self.grace : 0)
  }
}
