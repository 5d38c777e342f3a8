import CMergewalkCrypto
import CMergewalkXXHash

/// A digest that is computed piece by piece, over more bytes than memory holds.
package final class DigestStream {
  /// How bytes are summed up.
  package enum Function {
    /// SHA-256 ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4)), 32 bytes: what others compute too, and what
    /// cannot be forged.
    case sha256
    /// XXH3 with 128 bits ([xxHash](https://xxhash.com)), 16 bytes: equal for no two contents by accident. It takes a tenth
    /// of the time of SHA-256, and less where the processor has no instructions for that.
    case xxh3
  }

  /// The state of the library that computes it.
  private enum State {
    case sha256(OpaquePointer)
    case xxh3(OpaquePointer)
  }

  private let state: State
  /// Short pieces are gathered, as a call of a library costs as much as some hundred bytes.
  private let gathered = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 64)
  /// Unchecked exclusivity: touched for every piece; the class is confined to one thread.
  @exclusivity(unchecked) private var gatheredCount = 0

  /// Starts with no bytes.
  package init(_ function: Function = .sha256) {
    switch function {
    case .sha256:
      // It fails only when libcrypto has no memory.
      guard let context = EVP_MD_CTX_new(), EVP_MD_CTX_copy_ex(context, Self.start.context) == 1 else {
        preconditionFailure("libcrypto cannot compute SHA-256")
      }
      state = .sha256(context)
    case .xxh3:
      guard let context = XXH3_createState(), XXH3_128bits_reset(context) == XXH_OK else {
        preconditionFailure("libxxhash has no memory")
      }
      state = .xxh3(context)
    }
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
    switch state {
    case .sha256(let context): EVP_MD_CTX_free(context)
    case .xxh3(let context): _ = XXH3_freeState(context)
    }
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
    switch state {
    case .sha256(let context):
      let status = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
      precondition(status == 1, "libcrypto cannot compute SHA-256")
    case .xxh3(let context):
      let status = XXH3_128bits_update(context, bytes.baseAddress, bytes.count)
      precondition(status == XXH_OK, "libxxhash cannot compute XXH3")
    }
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

  /// The bytes of the digest, as many as its function has; nothing can be added afterwards.
  package func finish() -> [UInt8] {
    update(UnsafeRawBufferPointer(rebasing: gathered[..<gatheredCount]))
    gatheredCount = 0
    switch state {
    case .sha256(let context):
      return [UInt8](unsafeUninitializedCapacity: 32) { out, count in
        var length: UInt32 = 0
        let status = EVP_DigestFinal_ex(context, out.baseAddress, &length)
        precondition(status == 1 && length == 32, "libcrypto cannot compute SHA-256")
        count = 32
      }
    case .xxh3(let context):
      let hash = XXH3_128bits_digest(context)
      // Its canonical form has the high byte first.
      return withUnsafeBytes(of: (hash.high64.bigEndian, hash.low64.bigEndian)) { [UInt8]($0) }
    }
  }
}
