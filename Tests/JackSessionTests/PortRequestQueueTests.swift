import Audio
import Testing

@testable import JackSession

struct PortRequestQueueTests {
  @Test
  func `requests come out once, in their order`() {
    let queue = PortRequestQueue()
    let requests: [PortRequest] = [
      .set(PeerSlot.all[3], portName: "peer_anna"), .clear(PeerSlot.all[3]),
      .set(PeerSlot.all[4], portName: "peer_anna"),
    ]
    for request in requests { #expect(queue.append(request)) }
    #expect(queue.takeAll() == requests)
    #expect(queue.takeAll() == [])
  }

  @Test
  func `a full queue refuses, and takes again once emptied`() {
    let queue = PortRequestQueue()
    for _ in 0..<PortRequestQueue.capacity { #expect(queue.append(.clear(PeerSlot.all[0]))) }
    #expect(!queue.append(.clear(PeerSlot.all[0])))
    #expect(queue.takeAll().count == PortRequestQueue.capacity)
    #expect(queue.append(.clear(PeerSlot.all[0])))
  }
}
