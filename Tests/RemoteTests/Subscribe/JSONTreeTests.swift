import Testing

@testable import Remote

@Suite struct JSONTreeTests {
  private static func tree(_ json: String) throws -> JSONTree {
    try JSONLine.decode(JSONTree.self, from: Array(json.utf8))
  }

  /// RFC 7396, appendix A.
  static let examples: [(String, String, String)] = [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
    (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
    (#"{"a":"foo"}"#, #"null"#, #"null"#),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#),
    (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ]

  @Test(arguments: examples)
  func `a merge patch does what RFC 7396 appendix A says`(
    former: String, patch: String, result: String
  ) throws {
    var tree = try Self.tree(former)
    tree.merge(try Self.tree(patch))
    #expect(String(decoding: tree.line, as: UTF8.self) == result)
  }

  /// Anything but null, as a status is.
  private static func random(
    _ depth: Int, using generator: inout SystemRandomNumberGenerator
  ) -> JSONTree {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
    case 0: .integer(Int64.random(in: 0...2, using: &generator))
    case 1: .bool(Bool.random(using: &generator))
    case 2: .text(["a", "ä", "\u{1F}"].randomElement(using: &generator) ?? "")
    case 3: .array([.number(Double(Int.random(in: 0...2, using: &generator)) + 0.5)])
    default:
      .object(
        Dictionary(
          (0..<4).map { _ in
            (
              ["p", "q", "r", "s"].randomElement(using: &generator) ?? "",
              random(depth - 1, using: &generator)
            )
          }
        ) { first, _ in first })
    }
  }

  @Test func `the patch between any two trees makes the one the other`() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let (a, b) = (Self.random(3, using: &generator), Self.random(3, using: &generator))
      var tree = a
      if let patch = b.patch(from: a) { tree.merge(patch) } else { #expect(a == b) }
      #expect(tree == b)
    }
  }

  @Test func `two patches in one do what they do one after the other`() throws {
    let former = try Self.tree(#"{"a":1,"b":{"c":1,"d":2},"e":{"f":1}}"#)
    let first = try Self.tree(#"{"b":{"c":2},"e":null,"g":{"h":1}}"#)
    let second = try Self.tree(#"{"a":null,"b":{"d":null},"g":{"h":2,"i":3}}"#)
    var (both, one) = (former, former)
    both.merge(first.followed(by: second))
    one.merge(first)
    one.merge(second)
    #expect(both == one)
    #expect(String(decoding: one.line, as: UTF8.self) == #"{"b":{"c":2},"g":{"h":2,"i":3}}"#)
  }

  @Test func `a text comes back as it was, whatever is in it`() throws {
    let all = String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init)))
    let line = JSONTree.object([all: .text(all + "\u{1F3A7}")]).line
    #expect(!line.contains(UInt8(ascii: "\n")))
    #expect(
      try JSONLine.decode([String: String].self, from: line) == [all: all + "\u{1F3A7}"])
  }

  @Test func `a figure that JSON does not have is written as 0`() {
    let tree = JSONTree.array([.number(.nan), .number(.infinity), .number(-1.5)])
    #expect(String(decoding: tree.line, as: UTF8.self) == "[0,0,-1.5]")
  }

  @Test func `a tree of a value is the JSON of that value`() throws {
    let tree = try TreeEncoder.tree(of: GoldenStatus.value)
    #expect(
      try JSONLine.decode(JSONTree.self, from: tree.line)
        == JSONLine.decode(JSONTree.self, from: try JSONLine.encode(GoldenStatus.value)))
  }

  @Test func `lists and lists of lists are values like others`() throws {
    let value = [["a": [[1, 2], []]], ["b": [[3]]]]
    let tree = try TreeEncoder.tree(of: value)
    #expect(String(decoding: tree.line, as: UTF8.self) == #"[{"a":[[1,2],[]]},{"b":[[3]]}]"#)
  }
}
