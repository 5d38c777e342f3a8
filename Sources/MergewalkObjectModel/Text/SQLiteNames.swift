extension String {
  /// The name as SQLite compares names: without regard to the case of ASCII letters.
  package var foldedForSQLite: String {
    let bytes = utf8.map { (byte: UInt8) -> UInt8 in
      byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte + 0x20 : byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
