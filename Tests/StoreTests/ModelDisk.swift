import Cryptography
import Glibc
import Synchronization

@testable import Store

/// A disk in memory that can lose its power, or fail, at any step; what is left then is what a file system may leave.
///
/// Octets are safe once their file was synced, names once the directory was. Of what was not, any beginning of the
/// changes of names may have got to the disk, and of a file's octets nothing, a part, zeros or all.
final class ModelDisk: Disk {
  /// What becomes of octets that were not synced.
  enum Unsynced: CaseIterable, Sendable {
    case nothing, half, zeros, all
  }

  /// What a step does when its turn comes.
  enum Fault: Hashable, Sendable {
    /// The power goes: this and every later step does nothing.
    case powerCut
    /// It fails with this error number, and the disk goes on.
    case fails(Int32)
    /// It and all later steps that write fail.
    case failsFromThenOn(Int32)
  }

  struct File: Sendable {
    var octets: [UInt8] = []
    var synced: [UInt8] = []
  }

  private enum NameChange: Sendable {
    case set(String, file: Int)
    case remove(String)
    case rename(String, to: String)
  }

  private struct State: Sendable {
    var files: [File] = []
    var names: [String: Int] = [:]
    var syncedNames: [String: Int] = [:]
    var pending: [NameChange] = []
    var steps = 0
    var isOff = false
  }

  private let state: Mutex<State>
  private let faultStep: Int?
  private let fault: Fault

  /// A disk with these files; the fault comes at a step, counted from 0.
  init(_ files: [String: [UInt8]] = [:], fault: Fault = .powerCut, atStep faultStep: Int? = nil) {
    var state = State()
    for (name, octets) in files {
      state.names[name] = state.files.count
      state.files.append(File(octets: octets, synced: octets))
    }
    state.syncedNames = state.names
    self.state = Mutex(state)
    self.fault = fault
    self.faultStep = faultStep
  }

  /// Steps that changed the disk, or tried to.
  var steps: Int { state.withLock { $0.steps } }

  /// What is on it as seen while it runs.
  var files: [String: [UInt8]] {
    state.withLock { state in state.names.mapValues { state.files[$0].octets } }
  }

  /// How many of the changes of names were not synced when the power went.
  var pendingNames: Int { state.withLock { $0.pending.count } }

  /// What is found after the power came back, if so many changes of names got through.
  func remains(_ unsynced: Unsynced, names count: Int) -> [String: [UInt8]] {
    state.withLock { state in
      var names = state.syncedNames
      for change in state.pending.prefix(count) { Self.apply(change, to: &names) }
      return names.mapValues { Self.octets(of: state.files[$0], unsynced) }
    }
  }

  /// Every different thing that may be found after the power came back.
  var possibleRemains: Set<[String: [UInt8]]> {
    var possible: Set<[String: [UInt8]]> = []
    for unsynced in Unsynced.allCases {
      for count in 0...pendingNames { possible.insert(remains(unsynced, names: count)) }
    }
    return possible
  }

  func read(_ name: String) throws(StoreError) -> SecretBytes? {
    let octets = state.withLock { state in
      state.isOff ? nil : state.names[name].map { state.files[$0].octets }
    }
    guard let octets else { return nil }
    guard !octets.isEmpty else { throw .corrupt(path: name, what: "its contents") }
    do throws(CryptoError) {
      return unsafe try SecretBytes(copying: octets.span.bytes)
    } catch {
      throw .crypto(error)
    }
  }

  func create(_ name: String) throws(StoreError) -> Int32 {
    try step { state in
      state.files.append(File())
      Self.change(.set(name, file: state.files.count - 1), &state)
      return Int32(state.files.count - 1)
    }
  }

  /// In two pieces, so that the power can go in between.
  func write(_ bytes: RawSpan, to file: Int32, _ name: String) throws(StoreError) {
    let octets = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    for piece in [octets.prefix(octets.count / 2), octets.suffix(from: octets.count / 2)] {
      try step { $0.files[Int(file)].octets += piece }
    }
  }

  func sync(_ file: Int32, _ name: String) throws(StoreError) {
    try step { $0.files[Int(file)].synced = $0.files[Int(file)].octets }
  }

  func close(_ file: Int32) {}

  func rename(_ name: String, to newName: String) throws(StoreError) {
    try step { Self.change(.rename(name, to: newName), &$0) }
  }

  func syncDirectory() throws(StoreError) {
    try step { state in
      state.syncedNames = state.names
      state.pending = []
    }
  }

  func remove(_ name: String) {
    state.withLock { state in
      if !state.isOff { Self.change(.remove(name), &state) }
    }
  }

  func path(of name: String) -> String { "/model/\(name)" }

  private func step<Result: Sendable>(
    _ body: (inout State) -> Result
  ) throws(StoreError) -> Result {
    try state.withLock { state throws(StoreError) in
      let step = state.steps
      state.steps += 1
      if let code = failure(at: step, &state) {
        throw .system(attempt: "write", path: "/model", code: code)
      }
      return body(&state)
    }
  }

  private func failure(at step: Int, _ state: inout State) -> Int32? {
    guard let faultStep, step >= faultStep else { return nil }
    switch fault {
    case .powerCut:
      state.isOff = true
      return EIO
    case .fails(let code): return step == faultStep ? code : nil
    case .failsFromThenOn(let code): return code
    }
  }

  private static func change(_ change: NameChange, _ state: inout State) {
    apply(change, to: &state.names)
    state.pending.append(change)
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change {
    case .set(let name, let file): names[name] = file
    case .remove(let name): names[name] = nil
    case .rename(let old, let new):
      names[new] = names[old]
      names[old] = nil
    }
  }

  private static func octets(of file: File, _ unsynced: Unsynced) -> [UInt8] {
    guard file.octets != file.synced else { return file.synced }
    switch unsynced {
    case .nothing: return file.synced
    case .half: return Array(file.octets.prefix(file.octets.count / 2))
    case .zeros: return [UInt8](repeating: 0, count: file.octets.count)
    case .all: return file.octets
    }
  }
}
