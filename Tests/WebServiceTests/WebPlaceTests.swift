import Testing

@testable import WebService

@Suite struct WebPlaceTests {
  @Test(arguments: [
    ("http://127.0.0.1:8080/v1", "127.0.0.1", 8080, "/v1", true),
    ("https://api.example.org/v1/", "api.example.org", 443, "/v1", false),
    ("HTTP://[::1]:9/a/b", "::1", 9, "/a/b", true), ("http://localhost", "localhost", 80, "", true),
    ("http://127.example.org", "127.example.org", 80, "", false),
  ])
  func `a URL is read`(text: String, host: String, port: Int, path: String, isHere: Bool) throws {
    let place = try WebPlace(text)
    #expect((place.host, place.port, place.path) == (host, port, path))
    #expect(place.isThisMachine == isHere)
    #expect(try WebPlace(place.text) == place)
  }

  @Test(arguments: [
    "", "127.0.0.1:8080", "ftp://a", "http://", "http://:80", "http://a:0", "http://a:99999",
    "http://a:b", "http://u@a", "http://a/?q", "http://a#b", "http://a b", "http://[::1",
    "http://[a]",
    "http://a/\r\nX: y",
  ])
  func `what is none is told so`(text: String) {
    #expect { _ = try WebPlace(text) } throws: {
      ($0 as? WebPlace.Problem)?.words.hasPrefix("must be a URL") == true
    }
  }
}
