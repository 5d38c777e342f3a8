import MergewalkBytes
import MergewalkObjectModel
import Testing

@Suite("SHA-256, piece by piece")
struct DigestStreamTests {
  private func digest(_ pieces: [[UInt8]]) -> String {
    let stream = DigestStream()
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
  }
}
