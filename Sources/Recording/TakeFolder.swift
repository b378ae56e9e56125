internal import Glibc
internal import System

/// The folder of one take, named after the moment it was made, within the folder the user named.
///
/// Held open: files are created in it wherever it may be moved. Closed with the object.
final class TakeFolder {
  private static let mode: mode_t = 0o750
  /// Takes that begin in one second.
  private static let mostOfASecond = 100
  /// Files of one name that somebody else put there.
  private static let mostTaken = 100

  /// Where it was made, absolute if the user's folder was.
  let path: String
  private let descriptor: Int32
  private let inode: ino_t
  private var names: Set<String> = []
  /// What was created in it.
  private var files: [String] = []

  /// Makes the folder.
  ///
  /// - Parameters:
  ///   - directory: exists; a disk that is not mounted, or a slip of the keyboard, is not to fill another disk.
  ///   - moment: the folder's name, such as `2026-11-22_14.33.05`; with a number where there is one of that name.
  init(in directory: String, at moment: String) throws(RecordingError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    let parent = Int32(
      try SystemCall.perform("record to", directory) { unsafe open(directory, flags) })
    defer { _ = Glibc.close(parent) }
    let name = try Self.make(moment, in: parent, directory)
    path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    let path = path
    descriptor = Int32(
      try SystemCall.perform("open", path) { unsafe openat(parent, name, flags | O_NOFOLLOW) })
    var facts = stat()
    let descriptor = descriptor
    try SystemCall.perform("open", path) { unsafe fstat(descriptor, &facts) }
    inode = facts.st_ino
  }

  deinit {
    _ = Glibc.close(descriptor)
  }

  /// Creates a file in it, called after a talker; with a number where there is one of that name.
  func makeFile(for talker: String, _ format: RecordingFormat) throws(RecordingError) -> OutputFile
  {
    var tries = 1
    while true {
      let base = TalkerFileName.unique(TalkerFileName.sanitized(talker), among: names)
      names.insert(TalkerFileName.folded(base))
      let name = "\(base).\(format.fileExtension)"
      do throws(RecordingError) {
        let file = try OutputFile(creating: name, in: descriptor, path: "\(path)/\(name)")
        files.append(name)
        return file
      } catch {
        guard case .system(_, _, EEXIST) = error, tries < Self.mostTaken else { throw error }
        tries += 1
      }
    }
  }

  /// Removes the file that was created last, in which nothing is.
  func removeNewest() {
    guard let name = files.popLast() else { return }
    _ = unsafe unlinkat(descriptor, name, 0)
  }

  /// Removes all that was made, as nothing was recorded; what others put there stays, and the folder with it.
  func discard() {
    while !files.isEmpty { removeNewest() }
    guard (try? checkPlace()) != nil else { return }
    _ = unsafe rmdir(path)
  }

  /// What the disk has left for this user, in bytes.
  func freeBytes() throws(RecordingError) -> Int {
    var facts = statvfs()
    try SystemCall.perform("look at", path) { unsafe fstatvfs(descriptor, &facts) }
    let (bytes, isOverflowing) = facts.f_bavail.multipliedReportingOverflow(
      by: UInt(facts.f_frsize))
    return isOverflowing ? .max : Int(clamping: bytes)
  }

  /// Throws where the folder is no more at its place: what is written to it then, nobody finds.
  func checkPlace() throws(RecordingError) {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0, facts.st_ino == inode else {
      throw .folderGone(path: path)
    }
  }

  /// Makes the names of new files survive a power cut.
  func sync() throws(RecordingError) {
    try SystemCall.perform("write", path) { fsync(descriptor) }
  }

  private static func make(
    _ moment: String, in parent: Int32, _ directory: String
  ) throws(RecordingError) -> String {
    for number in 1..<mostOfASecond {
      let name = number == 1 ? moment : "\(moment)-\(number)"
      if unsafe mkdirat(parent, name, mode) == 0 { return name }
      guard errno == EEXIST else { break }
    }
    throw .system(attempt: "make a folder in", path: directory, errorNumber: errno)
  }
}
