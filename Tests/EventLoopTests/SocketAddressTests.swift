import EventLoop
import Testing

struct SocketAddressTests {
  @Test(arguments: [
    "127.0.0.1:5004", "0.0.0.0:0", "255.255.255.255:65535", "[::]:5004", "[::1]:1",
    "[2001:db8::1]:5004", "[2001:db8:0:1:1:1:1:1]:5004", "[2001:0:0:1::1]:9", "[fe80::1%7]:5004",
    "[1:2:3:4:5:6:7:8]:9", "[1::]:9",
  ])
  func `a numeric address and its description are the same text`(text: String) throws {
    #expect(try SocketAddress(parsing: text).description == text)
  }

  @Test(arguments: [
    ("[::ffff:192.0.2.7]:5004", "192.0.2.7:5004"), ("[0:0:0:0:0:0:0:1]:7", "[::1]:7"),
    ("[2001:DB8::00A0]:7", "[2001:db8::a0]:7"), ("127.0.0.1:00080", "127.0.0.1:80"),
  ])
  func `an address may be written in more than one way`(text: String, normal: String) throws {
    #expect(try SocketAddress(parsing: text).description == normal)
    #expect(try SocketAddress(parsing: text) == SocketAddress(parsing: normal))
  }

  @Test
  func `an interface's name is taken for its number`() throws {
    #expect(try SocketAddress(parsing: "[fe80::1%lo]:5").scope == 1)
  }

  @Test(arguments: [
    ("127.0.0.1", AddressError.noPort(text: "127.0.0.1")),
    ("127.0.0.1:", .noPort(text: "127.0.0.1:")),
    ("", .noPort(text: "")),
    ("[::1]", .noPort(text: "[::1]")),
    ("[::1]:", .noPort(text: "[::1]:")),
    (":5004", .noHost(text: ":5004")),
    ("[]:5004", .noHost(text: "[]:5004")),
    ("127.0.0.1:x", .malformedPort(text: "127.0.0.1:x", port: "x")),
    ("127.0.0.1:-1", .malformedPort(text: "127.0.0.1:-1", port: "-1")),
    ("127.0.0.1:65536", .portOutOfRange(text: "127.0.0.1:65536", port: "65536")),
    (
      "[::1]:99999999999999999999",
      .portOutOfRange(text: "[::1]:99999999999999999999", port: "99999999999999999999")
    ),
    ("::1:5004", .missingBrackets(text: "::1:5004")),
    ("[::1:5004", .malformedBrackets(text: "[::1:5004")),
    ("[::1]x:5004", .malformedBrackets(text: "[::1]x:5004")),
    ("300.0.0.1:5004", .malformedIPv4(text: "300.0.0.1:5004", host: "300.0.0.1")),
    ("1.2.3:5004", .malformedIPv4(text: "1.2.3:5004", host: "1.2.3")),
    ("[::g]:5004", .malformedIPv6(text: "[::g]:5004", host: "::g")),
    ("[1::2::3]:5004", .malformedIPv6(text: "[1::2::3]:5004", host: "1::2::3")),
    ("[127.0.0.1]:5004", .malformedIPv6(text: "[127.0.0.1]:5004", host: "127.0.0.1")),
    ("[fe80::1%no]:5004", .unknownScope(text: "[fe80::1%no]:5004", scope: "no")),
    ("[fe80::1%]:5004", .unknownScope(text: "[fe80::1%]:5004", scope: "")),
    ("a b:1", .malformedName(text: "a b:1", host: "a b")),
    ("a..b:1", .malformedName(text: "a..b:1", host: "a..b")),
    (
      String(repeating: "x", count: 64) + ":1",
      .malformedName(
        text: String(repeating: "x", count: 64) + ":1", host: String(repeating: "x", count: 64))
    ),
    ("studio.local:5004", .name(text: "studio.local:5004", host: "studio.local")),
  ])
  func `a malformed address is refused with the bad part named`(
    text: String, expected: AddressError
  ) {
    #expect(throws: expected) { try SocketAddress(parsing: text) }
    #expect(expected.description.contains(text), "the message shows what was written")
  }

  @Test(arguments: [
    ("127.0.0.1:1", true), ("127.255.0.9:1", true), ("[::1]:1", true),
    ("[::ffff:127.0.0.1]:1", true), ("128.0.0.1:1", false), ("0.0.0.0:1", false),
    ("[::]:1", false), ("[::2]:1", false), ("[fe80::1]:1", false), ("10.127.0.1:1", false),
  ])
  func `loopback addresses are known as such`(text: String, isLoopback: Bool) throws {
    #expect(try SocketAddress(parsing: text).isLoopback == isLoopback)
  }

  @Test(arguments: [
    ("127.0.0.1:1", HostAndPort.Reach.loopback), ("[::1]:1", .loopback),
    ("[::ffff:127.1.2.3]:1", .loopback), ("192.0.2.1:1", .beyond), ("[::]:1", .beyond),
    ("[fe80::1%no-such]:1", .beyond), ("localhost:1", .name), ("a-b_c.local:1", .name),
  ])
  func `a text tells what it can of where its host is, and is written as it was`(
    text: String, reach: HostAndPort.Reach
  ) throws {
    #expect(try HostAndPort(text).reach == reach)
    #expect(try HostAndPort(text).text == text)
  }

  @Test
  func `a name is resolved and keeps its port`() async throws {
    let addresses = try await SocketAddress.resolve("localhost:5004")
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 5004 })
    #expect(Set(addresses).count == addresses.count)
  }

  @Test
  func `resolving a numeric address needs no resolver`() async throws {
    let address = try SocketAddress(parsing: "[2001:db8::5]:9")
    #expect(try await SocketAddress.resolve("[2001:db8::5]:9") == [address])
  }

  @Test
  func `a name that cannot be looked up is named in the error`() async {
    // A domain that nobody has (RFC 6761 §6.4).
    let host = "nobody.invalid"
    let error = await #expect(throws: AddressError.self) {
      try await SocketAddress.resolve("\(host):5004")
    }
    guard case .unresolvable(_, host, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains(host) == true)
  }

  @Test
  func `resolving refuses a text without a port`() async {
    await #expect(throws: AddressError.noPort(text: "localhost")) {
      try await SocketAddress.resolve("localhost")
    }
  }
}
