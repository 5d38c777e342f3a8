import MergewalkBytes
import MergewalkObjectModel
import Testing

@Suite("digests, piece by piece")
struct DigestStreamTests {
  private func digest(_ pieces: [[UInt8]], _ function: DigestStream.Function = .sha256) -> String {
    let stream = DigestStream(function)
    for piece in pieces { piece.withUnsafeBytes { stream.add($0) } }
    return Hexadecimal.text(stream.finish())
  }

  @Test("the vectors of FIPS 180-4")
  func vectors() {
    #expect(digest([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(digest([Array("abc".utf8)]) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      digest([Array(repeating: UInt8(ascii: "a"), count: 1_000_000)])
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  // Of the program xxhsum 0.8.1 with -H2.
  @Test("what xxhsum says")
  func xxh3() {
    #expect(digest([], .xxh3) == "99aa06d3014798d86001c324468d497f")
    #expect(digest([Array("abc".utf8)], .xxh3) == "06b05ab6733a618578af5f94892f3950")
    let long = Array(repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(digest([long], .xxh3) == "a545df8e384a9579b1fd6fae5285c4eb")
  }

  @Test("pieces of any length make the digest of the whole", arguments: [1, 7, 63, 64, 4095, 4096, 4097, 10_000])
  func pieces(length: Int) {
    let whole = (0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var pieces: [[UInt8]] = []
    var rest = whole[...]
    // A short one between long ones, too.
    while !rest.isEmpty {
      pieces.append(Array(rest.prefix(pieces.count % 3 == 1 ? 5 : length)))
      rest = rest.dropFirst(pieces[pieces.count - 1].count)
    }
    #expect(digest(pieces) == digest([whole]))
    #expect(digest(pieces, .xxh3) == digest([whole], .xxh3))
  }
}
