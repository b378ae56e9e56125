import Foundation
import Synchronization

/// Results of a benchmark: each is printed as `name value unit` when it is known, all go to JSON.
public final class Figures: Sendable {
  /// One result.
  public struct Figure: Sendable, Codable, Equatable {
    /// Dotted, from the general to the particular: `latency.ptime5.median`.
    public var name: String
    /// Nil when it could not be measured.
    public var value: Double?
    /// `ms`, `%`, `MB`, `count` ...
    public var unit: String
  }

  private struct Document: Codable {
    var schema: Int
    var machine: String
    var figures: [Figure]
  }

  private let list = Mutex<[Figure]>([])

  /// Creates an empty list.
  public init() {}

  /// All results so far, in order.
  public var all: [Figure] { list.withLock { $0 } }

  /// Adds a result and prints its line; NaN is shown as `-`.
  public func add(_ name: String, _ value: Double, _ unit: String) {
    let isKnown = value.isFinite
    list.withLock { $0.append(Figure(name: name, value: isKnown ? value : nil, unit: unit)) }
    print("\(name) \(isKnown ? Self.text(value) : "-") \(unit)")
  }

  /// Adds minimum, median and p99 of a distribution under `name`, and their number.
  public func add(_ name: String, _ distribution: Distribution, _ unit: String) {
    add("\(name).min", distribution.minimum, unit)
    add("\(name).median", distribution.median, unit)
    add("\(name).p99", distribution.quantile(0.99), unit)
    add("\(name).segments", Double(distribution.values.count), "count")
  }

  /// The value of a result, if it has one.
  public func value(_ name: String) -> Double? {
    list.withLock { $0.last { $0.name == name }?.value }
  }

  /// Writes all results to a JSON file.
  ///
  /// - Throws: `RigError.file`.
  public func write(to path: String) throws(RigError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let document = Document(schema: 1, machine: Machine.summary, figures: all)
    guard let data = try? encoder.encode(document),
      FileManager.default.createFile(atPath: path, contents: data)
    else { throw .file(path: path, reason: "cannot be written") }
  }

  /// Four significant digits or all of an integer, without an exponent.
  static func text(_ value: Double) -> String {
    if value == value.rounded() && abs(value) < 1e15 { return String(Int(value)) }
    var decimals = 3
    var size = abs(value)
    while size >= 10 && decimals > 1 {
      size /= 10
      decimals -= 1
    }
    return fixed(value, decimals)
  }

  /// A number with so many decimals, for tables and figures alike.
  public static func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite else { return "-" }
    let scale = (0..<decimals).reduce(1.0) { result, _ in result * 10 }
    let scaled = Int((abs(value) * scale).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % Int(scale))
    let zeros = String(repeating: "0", count: decimals - fraction.count)
    return "\(sign)\(scaled / Int(scale)).\(zeros)\(fraction)"
  }
}
