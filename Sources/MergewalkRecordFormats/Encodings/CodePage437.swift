/// The code page of the names in old zip archives.
enum CodePage437 {
  /// The bytes as UTF-8.
  static func decode(_ bytes: [UInt8]) -> [UInt8] {
    String(String.UnicodeScalarView(bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : upper[Int($0) - 0x80] })).utf8.map {
      $0
    }
  }

  /// The characters of bytes 80 to FF.
  ///
  /// Source: https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/PC/CP437.TXT
  private static let upper = Array(
    ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
      + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)
}
