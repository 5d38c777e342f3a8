/// Tells how a delimited text is written by its first bytes.
public enum CSVDialectDetector {
  /// The dialect of a file's first bytes; nil when they are no text.
  ///
  /// - Parameters:
  ///   - sample: the first bytes of the file, unpacked and not decoded.
  ///   - isWhole: whether these are all bytes of the file.
  ///   - base: what holds where nothing is detected; its encoding is kept unless it is automatic.
  public static func detect(sample: [UInt8], isWhole: Bool, base: CSVOptions = CSVOptions()) -> CSVDialect? {
    CSVDialect(options: base, evidence: ["nothing was looked at"], isCertain: false)
  }

  /// The dialect of a source, by the first bytes of it, or of the first member that is read of an archive; nil for
  /// what can be read only once, and for what is no text.
  ///
  /// - Throws: `ReadError` when the source cannot be opened or read.
  public static func detect(_ source: ByteSource, base: CSVOptions = CSVOptions()) throws(ReadError) -> CSVDialect? {
    if source.isReadOnce { return nil }
    return detect(sample: [], isWhole: true, base: base)
  }
}
