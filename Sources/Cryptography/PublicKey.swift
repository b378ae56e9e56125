internal import CSodium

/// A node's public key: Ed25519 (RFC 8032 §5.1).
public struct PublicKey: Hashable, Sendable {
  /// Octets of a key.
  public static let byteCount = Int(CSODIUM_PUBLIC_KEY_BYTES)
  /// Octets of a signature.
  public static let signatureByteCount = Int(CSODIUM_SIGNATURE_BYTES)

  /// The key as RFC 8032 §5.1.5 encodes it.
  public let bytes: [UInt8]

  /// Takes 32 octets from outside; whether they are a point of the curve shows when a signature is checked.
  public init(_ bytes: [UInt8]) throws(CryptoError) {
    guard bytes.count == Self.byteCount else {
      throw .malformed(
        what: "public key", reason: "\(bytes.count) bytes instead of \(Self.byteCount)")
    }
    self.bytes = bytes
  }

  /// Whether a signature of a message is this key's.
  ///
  /// Any octets will do for either: what is no signature is none of this key's.
  public func verifies(_ signature: [UInt8], of message: RawSpan) -> Bool {
    guard signature.count == Self.signatureByteCount else { return false }
    return unsafe message.withUnsafeBytes { message in
      unsafe csodium_verify(signature, message.baseAddress, message.count, bytes) == 0
    }
  }
}

/// Hashes as words that two people can compare over a bad line: one word an octet.
///
/// The table is this project's own: 256 English words of four to seven letters and mostly two syllables. No two begin
/// with the same three letters, and each differs from every other in three letters or more. The octet is the place in
/// the table, which is in alphabetical order and never changes: a word once shown means the same for ever.
public enum FingerprintWords {
  /// The words of some octets, in their order.
  public static func words(of bytes: some Sequence<UInt8>) -> [String] {
    bytes.map { table[Int($0)] }
  }

  /// All words: the octet is the index.
  static let table = text.split { $0 == " " || $0 == "\n" }.map(String.init)

  private static let text = """
    acorn adobe agent alarm alpine amber anchor angle april armor artist atlas attic autumn
    avocado axis badge baker balcony bamboo banana barrel beacon bedrock belt bicycle bison
    blanket blossom bonfire border bottle breeze bucket buffalo button cabin cactus camera canyon
    captain castle cedar cello census chapel cherry chimney chorus cinema circus cloud cobalt
    coconut coffee comet copper cousin cradle crystal cupcake cushion cyclone cymbal daisy dancer
    decade denim desert diamond diploma doctor dolphin donkey dragon drummer duchess dynamo easel
    echo eclipse editor elbow emerald empire engine equator estate evening exhibit fabric feather
    fender fiddle filter flute forest fossil furnace galaxy garden gazelle geyser giraffe glacier
    glove goblet gondola gravel guitar gymnast helmet hexagon hollow horizon hotel hurdle hydrant
    iceberg igloo indigo insect island ivory jaguar jasmine jigsaw journal juniper jury karate
    kayak kennel kingdom kitchen koala ladder lagoon lantern laptop laundry lemon leopard library
    linen lobster lunar lyric machine magnet mammal maple meadow mercury meteor mirror mitten
    morning mosaic muffin museum mystery napkin nature nebula needle nephew nickel nova nugget
    nutmeg nylon oboe ocean octopus omelet onion opera orange orbit orchid ostrich otter oxygen
    palace panda pebble pelican pencil piano picnic pigeon pilot polar popcorn potato prairie
    prism pumpkin puppet pyramid python quarry quilt rabbit ragtime rainbow recipe reef remedy
    ribbon ritual rivet rodeo runway salmon scarlet school senator siesta sleeve sloth smoke
    soccer sonata spider stadium sunset swan syrup tango tavern teapot temple tennis theater tiger
    topaz tulip tundra tuxedo valley violin voyage waffle walnut whale window wizard wombat yacht
    yogurt zebra zephyr zigzag zodiac
    """
}
