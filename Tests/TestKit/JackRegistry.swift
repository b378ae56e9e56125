import FoundationEssentials
import Glibc

/// JACK's list of running servers in shared memory, which has room for eight.
///
/// jack2 never takes a server from it that was killed, unless one of the same name comes: its `shm.h` has a
/// header of 24 bytes and eight entries of 264, each a process id and a name.
public enum JackRegistry {
  private static let folder = "/dev/shm"
  private static let path = "\(folder)/jack-shm-registry"
  private static let magic = Array("KCAJ".utf8)
  private static let headerBytes = 24
  private static let entryBytes = 264
  private static let entryCount = 8

  /// Gives the places of dead servers back; of no effect where the list is not what is expected.
  public static func freeDeadServers() {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: magic.count)
    guard unsafe pread(descriptor, &head, head.count, 0) == head.count, head == magic else {
      return
    }
    for index in 0..<entryCount {
      let offset = off_t(headerBytes + index * entryBytes)
      var identifier: pid_t = 0
      guard
        unsafe pread(descriptor, &identifier, MemoryLayout<pid_t>.size, offset)
          == MemoryLayout<pid_t>.size, identifier > 0
      else { continue }
      guard kill(identifier, 0) != 0, errno == ESRCH else { continue }
      // The name too: of an entry with its name and process 0, jack2 would believe that it lives.
      let nobody = [UInt8](repeating: 0, count: entryBytes)
      _ = unsafe pwrite(descriptor, nobody, nobody.count, offset)
    }
  }

  /// Removes what a server that has ended left in shared memory: a killed one all it had.
  public static func removeLeftovers(of server: String) {
    for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where file.hasPrefix("jack") && file.contains("_\(server)_") {
      try? FileManager.default.removeItem(atPath: "\(folder)/\(file)")
    }
  }

  /// Removes this user's database of clients' properties, which all servers share: a client that was killed while it
  /// held its lock takes the lock along, and the next waits for it for ever.
  public static func forgetProperties() {
    try? FileManager.default.removeItem(atPath: "\(folder)/jack_db-\(getuid())")
  }
}
