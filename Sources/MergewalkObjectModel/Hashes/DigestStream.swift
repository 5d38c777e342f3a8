import CMergewalkCrypto

/// A SHA-256 that is computed piece by piece, over more bytes than memory holds.
package final class DigestStream {
  private let context: OpaquePointer
  /// Short pieces are gathered, as a call of libcrypto costs as much as some hundred bytes.
  private let gathered = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 64)
  /// Unchecked exclusivity: touched for every piece; the class is confined to one thread.
  @exclusivity(unchecked) private var gatheredCount = 0

  /// Starts with no bytes.
  package init() {
    // It fails only when libcrypto has no memory.
    guard let context = EVP_MD_CTX_new(), EVP_MD_CTX_copy_ex(context, Self.start.context) == 1 else {
      preconditionFailure("libcrypto cannot compute SHA-256")
    }
    self.context = context
  }

  /// The state before the first byte, which is copied: to look for the algorithm by its name takes libcrypto as long as to
  /// hash some hundred bytes.
  ///
  /// `@unchecked Sendable`: once made, it is only the source of `EVP_MD_CTX_copy_ex`, which takes it as constant.
  private struct Start: @unchecked Sendable {
    let context: OpaquePointer

    init() {
      // It fails only when libcrypto has no memory or was built without SHA-2.
      guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
        preconditionFailure("libcrypto cannot compute SHA-256")
      }
      self.context = context
    }
  }

  private static let start = Start()

  deinit {
    EVP_MD_CTX_free(context)
    gathered.deallocate()
  }

  package func add(_ bytes: UnsafeRawBufferPointer) {
    if bytes.count > gathered.count - gatheredCount {
      update(UnsafeRawBufferPointer(rebasing: gathered[..<gatheredCount]))
      gatheredCount = 0
      if bytes.count >= gathered.count { return update(bytes) }
    }
    UnsafeMutableRawBufferPointer(rebasing: gathered[gatheredCount...]).copyMemory(from: bytes)
    gatheredCount += bytes.count
  }

  private func update(_ bytes: UnsafeRawBufferPointer) {
    let status = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    precondition(status == 1, "libcrypto cannot compute SHA-256")
  }

  /// Adds a number as eight bytes, the low one first.
  package func add(_ number: Int64) {
    var bits = UInt64(bitPattern: number).littleEndian
    withUnsafeBytes(of: &bits) { add($0) }
  }

  /// Adds a text with its length, so that texts that follow each other cannot be told wrongly apart.
  package func add(text: String) {
    var text = text
    text.withUTF8 { bytes in
      add(Int64(bytes.count))
      add(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The 32 bytes of the digest; nothing can be added afterwards.
  package func finish() -> [UInt8] {
    update(UnsafeRawBufferPointer(rebasing: gathered[..<gatheredCount]))
    gatheredCount = 0
    return [UInt8](unsafeUninitializedCapacity: 32) { out, count in
      var length: UInt32 = 0
      let status = EVP_DigestFinal_ex(context, out.baseAddress, &length)
      precondition(status == 1 && length == 32, "libcrypto cannot compute SHA-256")
      count = 32
    }
  }
}
