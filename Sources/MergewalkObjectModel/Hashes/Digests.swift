import CMergewalkCrypto

/// SHA-2 digests by libcrypto.
package enum Digests {
  static func sha256(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, EVP_sha256(), 32) }

  static func sha512(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, EVP_sha512(), 64) }

  /// A digest function by its name.
  package enum Function: Sendable { case md5, sha1, sha256, sha512 }

  /// Writes the digest of bytes to `output`, which has room for 64, and returns its length; 0 when libcrypto does not
  /// offer the function, as MD5 where a policy forbids it.
  package static func digest(
    _ bytes: UnsafeRawBufferPointer, _ function: Function, to output: UnsafeMutablePointer<UInt8>
  ) -> Int {
    let type: OpaquePointer? =
      switch function {
      case .md5: EVP_md5()
      case .sha1: EVP_sha1()
      case .sha256: EVP_sha256()
      case .sha512: EVP_sha512()
      }
    var length: UInt32 = 0
    guard EVP_Digest(bytes.baseAddress, bytes.count, output, &length, type, nil) == 1 else { return 0 }
    return Int(length)
  }

  private static func digest(_ bytes: [UInt8], _ type: OpaquePointer?, _ size: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size) { out, count in
      var length: UInt32 = 0
      let status = EVP_Digest(bytes, bytes.count, out.baseAddress, &length, type, nil)
      // It fails only when libcrypto has no memory or was built without SHA-2.
      precondition(status == 1 && length == size, "libcrypto cannot compute SHA-2")
      count = size
    }
  }
}
