import Testing

@testable import Cryptography

@Suite struct PairingTests {
  private static let second: Int64 = 1_000_000_000
  private let screen: PublicKey
  private let keyboard: PublicKey
  private let mallory: PublicKey

  init() throws {
    screen = try NodeKey().publicKey
    keyboard = try NodeKey().publicKey
    mallory = try NodeKey().publicKey
  }

  private func offer() throws -> PairingOffer { try PairingOffer(own: screen, nowNanoseconds: 0) }

  private func octets(of secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { secret in unsafe secret.withUnsafeBytes { unsafe Array($0) } }
  }

  /// Another PIN than that of an offer.
  private func wrongPIN(_ offer: borrowing PairingOffer) throws -> PairingPIN {
    let last = offer.pin.text.last == "0" ? "1" : "0"
    return try PairingPIN(typed: offer.pin.text.dropLast() + last)
  }

  /// One wrong proof from a node.
  private func guessWrong(
    _ offer: inout PairingOffer, from peer: PublicKey, at time: Int64 = 0
  ) throws {
    let pin = try wrongPIN(offer)
    var guesser = try PairingInitiator(own: peer, peer: screen, pin: pin)
    let answer = try offer.answer(hello: guesser.hello, from: peer, nowNanoseconds: time)
    let proof = try guesser.receive(answer: answer)
    _ = try offer.check(proof: proof, from: peer, nowNanoseconds: time)
  }

  @Test func `who types the PIN is paired, and both have the same key`() throws {
    var offer = try offer()
    let typed = try PairingPIN(typed: offer.pin.text.prefix(3) + " - " + offer.pin.text.suffix(3))
    var initiator = try PairingInitiator(own: keyboard, peer: screen, pin: typed)
    let answer = try offer.answer(hello: initiator.hello, from: keyboard, nowNanoseconds: 0)
    let proof = try initiator.receive(answer: answer)
    let success = try offer.check(proof: proof, from: keyboard, nowNanoseconds: 0)
    let key = octets(of: try initiator.receive(confirmation: success.confirmation))
    #expect(key.count == 32)
    let other = octets(of: success.takeKey())
    #expect(key == other)
    let isOpen = offer.isOpen(nowNanoseconds: 0)
    #expect(!isOpen)
  }

  @Test func `each run has another key`() throws {
    var keys: Set<[UInt8]> = []
    for _ in 0..<3 {
      var offer = try offer()
      var initiator = try PairingInitiator(
        own: keyboard, peer: screen, pin: PairingPIN(typed: offer.pin.text))
      let answer = try offer.answer(hello: initiator.hello, from: keyboard, nowNanoseconds: 0)
      let proof = try initiator.receive(answer: answer)
      keys.insert(
        octets(
          of: try offer.check(proof: proof, from: keyboard, nowNanoseconds: 0).takeKey()))
    }
    #expect(keys.count == 3)
  }

  @Test func `five wrong guesses are told apart from the right one, a sixth is not looked at`()
    throws
  {
    var offer = try offer()
    for left in (0..<PairingOffer.tryLimit).reversed() {
      var fault: CryptoError?
      do { try guessWrong(&offer, from: mallory) } catch { fault = error as? CryptoError }
      #expect(fault == .pairing(.wrongPIN))
      let triesLeft = offer.triesLeft
      #expect(triesLeft == left)
    }
    var fault: CryptoError?
    do { try guessWrong(&offer, from: keyboard) } catch { fault = error as? CryptoError }
    #expect(fault == .pairing(.usedUp))
  }

  @Test func `many runs at a time are no more guesses`() throws {
    var offer = try offer()
    var proofs: [(PublicKey, [UInt8])] = []
    for _ in 0..<20 {
      let peer = try NodeKey().publicKey
      let pin = try wrongPIN(offer)
      var guesser = try PairingInitiator(own: peer, peer: screen, pin: pin)
      let answer = try offer.answer(hello: guesser.hello, from: peer, nowNanoseconds: 0)
      proofs.append((peer, try guesser.receive(answer: answer)))
    }
    var faults: [CryptoError] = []
    for (peer, proof) in proofs + proofs {
      do throws(CryptoError) {
        _ = try offer.check(proof: proof, from: peer, nowNanoseconds: 0)
      } catch {
        faults.append(error)
      }
    }
    // Of the twenty the last four are remembered, and each is looked at once.
    #expect(faults.count { $0 == .pairing(.wrongPIN) } == 4)
    #expect(faults.count { $0 == .pairing(.outOfOrder) } == 36)
    let triesLeft = offer.triesLeft
    #expect(triesLeft == 1)
  }

  @Test func `the right PIN still pairs after four wrong guesses of another`() throws {
    var offer = try offer()
    for _ in 0..<4 { try? guessWrong(&offer, from: mallory) }
    var initiator = try PairingInitiator(
      own: keyboard, peer: screen, pin: PairingPIN(typed: offer.pin.text))
    let answer = try offer.answer(hello: initiator.hello, from: keyboard, nowNanoseconds: 0)
    let proof = try initiator.receive(answer: answer)
    let success = try offer.check(proof: proof, from: keyboard, nowNanoseconds: 0)
    _ = try initiator.receive(confirmation: success.confirmation)
  }

  @Test func `a PIN is good for two minutes`() throws {
    var offer = try offer()
    let end = 120 * Self.second
    let (isOpen, isOver) = (
      offer.isOpen(nowNanoseconds: end - 1), !offer.isOpen(nowNanoseconds: end)
    )
    #expect(isOpen && isOver)
    var initiator = try PairingInitiator(
      own: keyboard, peer: screen, pin: PairingPIN(typed: offer.pin.text))
    let answer = try offer.answer(hello: initiator.hello, from: keyboard, nowNanoseconds: end - 1)
    let proof = try initiator.receive(answer: answer)
    var fault: CryptoError?
    do throws(CryptoError) {
      _ = try offer.check(proof: proof, from: keyboard, nowNanoseconds: end)
    } catch { fault = error }
    #expect(fault == .pairing(.expired))
    do throws(CryptoError) {
      _ = try offer.answer(hello: initiator.hello, from: keyboard, nowNanoseconds: end)
      fault = nil
    } catch { fault = error }
    #expect(fault == .pairing(.expired))
  }

  /// Mallory stands between the two and has a channel to each, under its own key.
  @Test func `a node in the middle cannot pass the messages on`() throws {
    var offer = try offer()
    var initiator = try PairingInitiator(
      own: keyboard, peer: mallory, pin: PairingPIN(typed: offer.pin.text))
    let answer = try offer.answer(hello: initiator.hello, from: mallory, nowNanoseconds: 0)
    let proof = try initiator.receive(answer: answer)
    var fault: CryptoError?
    do throws(CryptoError) {
      _ = try offer.check(proof: proof, from: mallory, nowNanoseconds: 0)
    } catch { fault = error }
    #expect(fault == .pairing(.wrongPIN))
  }

  @Test func `an initiator's own messages sent back to it do not pair`() throws {
    var initiator = try PairingInitiator(
      own: keyboard, peer: screen, pin: PairingPIN(typed: "000000"))
    // A share of somebody who has no PIN, then the initiator's own tag.
    let share = CPace.generator(password: [], context: [], session: [])
    let proof = try initiator.receive(answer: initiator.hello + share)
    var fault: CryptoError?
    do throws(CryptoError) {
      _ = try initiator.receive(confirmation: Array(proof.dropFirst(32)))
    } catch { fault = error }
    #expect(fault == .pairing(.wrongPIN))
  }

  @Test func `a bit changed in any message ends it`() throws {
    for message in 0..<3 {
      for index in [0, 15, 16, 31, 32, 47, 63] {
        let fault = try faultOfRun(changing: message, at: index)
        #expect(
          fault == .pairing(.wrongPIN) || fault == .pairing(.malformed), "\(message) \(index)")
      }
    }
    #expect(try faultOfRun(changing: 3, at: 0) == nil)
  }

  /// Runs a pairing with one octet of the answer (0), proof (1) or confirmation (2) changed; 3: none.
  private func faultOfRun(changing message: Int, at index: Int) throws -> CryptoError? {
    func changed(_ octets: [UInt8], _ number: Int) -> [UInt8] {
      var octets = octets
      if number == message { octets[index % octets.count] ^= 0x10 }
      return octets
    }
    var offer = try offer()
    var initiator = try PairingInitiator(
      own: keyboard, peer: screen, pin: PairingPIN(typed: offer.pin.text))
    do throws(CryptoError) {
      let answer = try offer.answer(hello: initiator.hello, from: keyboard, nowNanoseconds: 0)
      let proof = try initiator.receive(answer: changed(answer, 0))
      let success = try offer.check(proof: changed(proof, 1), from: keyboard, nowNanoseconds: 0)
      _ = try initiator.receive(confirmation: changed(success.confirmation, 2))
      return nil
    } catch {
      return error
    }
  }

  @Test func `messages of any other length are refused`() throws {
    for count in [0, 1, 15, 17, 31, 33, 47, 49, 64, 95, 97, 4096] {
      let octets = [UInt8](repeating: 7, count: count)
      var offer = try offer()
      var initiator = try PairingInitiator(
        own: keyboard, peer: screen, pin: PairingPIN(typed: "123456"))
      var faults: [CryptoError] = []
      do throws(CryptoError) {
        _ = try offer.answer(hello: octets, from: keyboard, nowNanoseconds: 0)
      } catch { faults.append(error) }
      do throws(CryptoError) { _ = try initiator.receive(answer: octets) } catch {
        faults.append(error)
      }
      do throws(CryptoError) {
        _ = try offer.answer(
          hello: Array(repeating: 1, count: 16), from: keyboard, nowNanoseconds: 0)
        _ = try offer.check(proof: octets, from: keyboard, nowNanoseconds: 0)
      } catch { faults.append(error) }
      #expect(faults == [CryptoError](repeating: .pairing(.malformed), count: 3), "\(count)")
    }
  }

  @Test func `messages out of order are refused`() throws {
    var initiator = try PairingInitiator(
      own: keyboard, peer: screen, pin: PairingPIN(typed: "123456"))
    var offer = try offer()
    var faults: [CryptoError] = []
    do throws(CryptoError) { _ = try initiator.receive(confirmation: []) } catch {
      faults.append(error)
    }
    do throws(CryptoError) {
      _ = try offer.check(proof: [], from: keyboard, nowNanoseconds: 0)
    } catch { faults.append(error) }
    do throws(CryptoError) {
      _ = try initiator.receive(answer: [])
    } catch { faults.append(error) }
    do throws(CryptoError) { _ = try initiator.receive(answer: []) } catch { faults.append(error) }
    #expect(
      faults == [
        .pairing(.outOfOrder), .pairing(.outOfOrder), .pairing(.malformed), .pairing(.outOfOrder),
      ])
    let triesLeft = offer.triesLeft
    #expect(triesLeft == PairingOffer.tryLimit)
  }

  @Test func `a PIN has six digits, and seldom the same twice`() throws {
    var texts: Set<String> = []
    for _ in 0..<50 { texts.insert(try PairingPIN().text) }
    #expect(texts.count > 40)
    #expect(texts.allSatisfy { $0.count == 6 && $0.allSatisfy { ("0"..."9").contains($0) } })
    #expect(Set(texts.joined()).count == 10)
  }

  @Test(arguments: ["", "12345", "1234567", "12345a", "١٢٣٤٥٦", "123.456"])
  func `what is no PIN is refused`(text: String) {
    #expect(throws: CryptoError.self) { _ = try PairingPIN(typed: text) }
  }
}
