import Testing

@testable import Remote

@Suite struct SecretTextTests {
  @Test func `however a secret is printed, its text is not`() {
    let secret = SecretText("comlink:group/crew/aaaa")
    let request = ControlRequest.groupJoin(invitation: secret)
    let response = ControlResponse.invitation(secret)
    var dumped = ""
    dump(request, to: &dumped)
    dump(response, to: &dumped)
    for text in [
      "\(secret)", "\(request)", "\(response)", String(reflecting: request),
      String(reflecting: [secret]), dumped,
    ] {
      #expect(!text.contains("aaaa"), "\(text)")
    }
    #expect("\(request)".contains("(secret)"))
  }
}
