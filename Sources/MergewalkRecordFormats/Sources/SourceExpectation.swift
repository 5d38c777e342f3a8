import MergewalkBytes
import CMergewalkCrypto

/// The size and checksum that a manifest gives for a file, checked while the file is read.
package struct SourceExpectation: Sendable, Hashable {
  /// The size in bytes; nil when the manifest does not say.
  package var size: Int?
  /// The 32 bytes of SHA-256; nil when the manifest does not say.
  package var sha256: [UInt8]?

  /// Expects a size, a digest, both or nothing.
  package init(size: Int? = nil, sha256: [UInt8]? = nil) {
    self.size = size
    self.sha256 = sha256
  }

  /// The digest that 64 hexadecimal digits are; nil for anything else.
  package static func sha256(hex: some StringProtocol) -> [UInt8]? {
    guard hex.utf8.count == 64 else { return nil }
    return Hexadecimal.decode(hex.utf8)
  }
}

/// A file whose bytes are checked against what is expected of them; they are right once its end was reached.
final class VerifiedStream: ByteStream {
  private let stream: any ByteStream
  private let expected: SourceExpectation
  private let digest: OpaquePointer
  private var count = 0
  private var isVerified = false

  init(_ stream: any ByteStream, _ expected: SourceExpectation) {
    self.stream = stream
    self.expected = expected
    // It fails only when libcrypto has no memory or was built without SHA-2.
    guard let digest = EVP_MD_CTX_new(), EVP_DigestInit_ex(digest, EVP_sha256(), nil) == 1 else {
      preconditionFailure("libcrypto cannot compute SHA-256")
    }
    self.digest = digest
  }

  deinit { EVP_MD_CTX_free(digest) }

  var path: String { stream.path }
  var bytesRead: Int { stream.bytesRead }
  var canReadAhead: Bool { stream.canReadAhead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    let got = try stream.read(into: buffer)
    if got > 0 {
      try update(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
    } else if !isVerified {
      try finish()
      isVerified = true
    }
    return got
  }

  /// Reads a file that is not read from its start to its end.
  static func verify(_ file: any RandomAccessStream, _ expected: SourceExpectation) throws(ReadError) {
    let stream = VerifiedStream(FileRange(file, path: file.path, 0..<file.size), expected)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while try stream.read(into: buffer) > 0 {}
  }

  private func update(_ bytes: UnsafeRawBufferPointer) throws(ReadError) {
    count += bytes.count
    if let size = expected.size, count > size { throw wrongSize("more") }
    if expected.sha256 != nil { EVP_DigestUpdate(digest, bytes.baseAddress, bytes.count) }
  }

  private func finish() throws(ReadError) {
    if let size = expected.size, count != size { throw wrongSize("\(count)") }
    guard let wanted = expected.sha256 else { return }
    var found = [UInt8](repeating: 0, count: 64)
    var length: UInt32 = 0
    EVP_DigestFinal_ex(digest, &found, &length)
    if Array(found[..<Int(length)]) != wanted {
      throw ReadError(
        .checksumMismatch, path: path,
        message: "SHA-256 \(Hexadecimal.text(wanted)) is expected, but the input has "
          + Hexadecimal.text(found[..<Int(length)]) + Self.cure, hasCure: true)
    }
  }

  private func wrongSize(_ found: String) -> ReadError {
    ReadError(
      .checksumMismatch, path: path,
      message: "\(expected.size ?? 0) bytes are expected, but the input has \(found)" + Self.cure, hasCure: true)
  }

  private static let cure = "; fetch the file again, or correct the expected value if the file is right"
}
