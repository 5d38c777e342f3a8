import MergewalkDiagnostics
import MergewalkSystem

/// The contents of a source, unpacked: one stream, or the chosen members of an archive one after the other.
///
/// Containers are recognized by their first bytes, whatever their names: compression in up to three layers, then
/// perhaps an archive, whose members may be compressed again. Archives inside archives are not opened.
final class SourceContents {
  private enum Kind {
    case plain(any ByteStream)
    case tar(TarArchive)
    case zip(ZipArchive)
  }

  private let source: ByteSource
  private let kind: Kind
  private let file: any ByteStream
  private var isTaken = false
  /// The members chosen so far, for messages.
  private var taken: [String] = []
  /// Names of members that were not chosen, for messages; the first of them.
  private var others: [String] = []
  private var matched: Set<String> = []
  /// The members that were skipped since they were last taken out, because there is nothing in them.
  private var emptyMembers: [String] = []
  /// The first such member as long as no other was handed out.
  private var onlyEmpty: MemoryStream?
  /// A note if the source's name contradicts its bytes; nil if not.
  let note: String?

  private static let mostLayers = 3

  /// Opens a source.
  ///
  /// - Throws: as `ByteSource.open()`.
  init(_ source: ByteSource) throws(ReadError) {
    self.source = source
    let file = try source.openFile()
    self.file = file
    var found: [ContainerFormat] = []
    var stream = source.expected.map { VerifiedStream(file, $0) } ?? file
    let outermost = stream
    var kind: Kind?
    var wanted = source.container.formats?[...]
    let claimed = source.container.formats == nil ? ContainerFormat.named(source.path) : []
    while kind == nil {
      if wanted?.isEmpty == true { break }
      let input = InputBuffer(stream)
      let first = wanted?.popFirst()
      let format = try Self.format(input, wanted: first, claimed: found.isEmpty ? claimed.first : nil)
      if format == nil, found.isEmpty { try Self.checkBegin(input, isNamed: Self.isNamed(file)) }
      guard let format else {
        stream = input
        break
      }
      found.append(format)
      switch format {
      case .tar: kind = .tar(TarArchive(input))
      case .zip:
        let archive = try ZipArchive(file, isFile: stream === outermost, source.container)
        if let expected = source.expected, let file = file as? any RandomAccessStream {
          // It is read here and there, so first once from its start to its end.
          try VerifiedStream.verify(file, expected)
        }
        kind = .zip(archive)
      default:
        if found.count > Self.mostLayers {
          throw ReadError(
            .unsupportedContainer, path: source.path, message: "compressed more than \(Self.mostLayers) times over")
        }
        stream = DecompressedStream(
          input, Self.decompressor(format), maximumExpansion: source.container.maximumExpansion)
        // What is behind it is parsed meanwhile. Where there is more packing inside, the first layer has the thread.
        if found.count == 1, Self.isBounded(file) { stream = PrefetchStream(stream, file: file) }
      }
    }
    self.kind = kind ?? .plain(stream)
    note = Self.note(found, claimed: claimed)
    if kind == nil, let pattern = source.container.members.first {
      throw ReadError(
        .missingMember, path: source.path,
        message: "the member “\(pattern)” is requested, but the file is not an archive (zip or tar)")
    }
  }

  var isArchive: Bool {
    if case .plain = kind { return false }
    return true
  }

  /// Whether its members can be reached without reading those before.
  var isZip: Bool {
    if case .zip = kind { return true }
    return false
  }

  /// The path inside the archive of a stream of ``next()``.
  func memberName(_ stream: any ByteStream) -> String { String(stream.path.dropFirst(source.path.count + 1)) }

  /// The bytes taken from the file so far.
  var bytesRead: Int { file.bytesRead }

  /// The next stream; nil when there is none.
  ///
  /// A stream of an archive can be read until the next call. Where empty members are skipped and all are, the first one
  /// is handed out: the reader has its say about it.
  ///
  /// - Throws: `missingMember` at the end of an archive in which a name or pattern matched nothing; `severalMembers`
  ///   for a second member when none was chosen; what is wrong with the archive.
  func next() throws(ReadError) -> (any ByteStream)? {
    switch kind {
    case .plain(let stream):
      defer { isTaken = true }
      return isTaken ? nil : stream
    case .tar(let archive):
      while let (name, stream) = try archive.next() {
        if try choose(name), let stream = try filled(unpacked(stream)) { return stream }
      }
    case .zip(let archive):
      while let entry = archive.next() {
        if try choose(entry.name) {
          let member = try archive.open(entry)
          let stream = try unpacked(entry.method == 0 ? member : PrefetchStream(member, file: file))
          if let stream = try filled(stream) { return stream }
        }
      }
      try archive.close()
    }
    try checkMatches()
    defer { onlyEmpty = nil }
    if let onlyEmpty { emptyMembers.removeAll { $0 == memberName(onlyEmpty) } }
    return onlyEmpty
  }

  /// The members that were skipped so far because there is nothing in them, each once.
  func takeEmptyMembers() -> [String] {
    defer { if !emptyMembers.isEmpty { emptyMembers = [] } }
    return emptyMembers
  }

  /// A member to read; nil for an empty one that is skipped.
  private func filled(_ stream: any ByteStream) throws(ReadError) -> (any ByteStream)? {
    guard source.container.skipsEmptyMembers else { return stream }
    let input = InputBuffer.around(stream)
    if try input.isBlank() {
      emptyMembers.append(memberName(input))
      if !isTaken { onlyEmpty = onlyEmpty ?? MemoryStream(path: input.path, bytes: Array(input.available), chunks: []) }
      return nil
    }
    (isTaken, onlyEmpty) = (true, nil)
    return input
  }

  /// The first stream.
  ///
  /// - Throws: as `next()`.
  func first() throws(ReadError) -> any ByteStream {
    if let stream = try next() { return stream }
    throw ReadError(.missingMember, path: source.path, message: "the archive holds no file")
  }

  // MARK: Members

  /// Whether a member is one of those that were requested.
  private func choose(_ name: String) throws(ReadError) -> Bool {
    let patterns = source.container.members
    let found = MemberPattern.chosen(name, by: patterns)
    matched.formUnion(found)
    var isChosen = !found.isEmpty
    if patterns.isEmpty {
      if MemberPattern.isResourceFork(name) { return false }
      if Self.isOffice(name) {
        throw ReadError(
          .unsupportedContainer, path: source.path,
          message: "this is a spreadsheet or another office document, which is not read; save its sheet as CSV, or name"
            + " one of its files with “member”")
      }
      if let first = taken.first {
        throw ReadError(
          .severalMembers, path: source.path,
          message: "the archive has several files, “\(first)”, “\(name)” and perhaps more; select one with “member”:"
            + " a name, a pattern, or \"*\" for all of them")
      }
      isChosen = true
    }
    if isChosen {
      if taken.isEmpty { taken.append(name) }
    } else if others.count < 1000 {
      others.append(name)
    }
    return isChosen
  }

  /// Whether a member is one of those that office documents have (ECMA-376 part 2, OpenDocument part 3).
  private static func isOffice(_ name: String) -> Bool {
    ["[Content_Types].xml", "mimetype", "_rels/.rels", "META-INF/manifest.xml"].contains(name)
      || ["xl/", "word/", "ppt/", "docProps/"].contains { name.hasPrefix($0) && name.hasSuffix(".xml") }
  }

  private func checkMatches() throws(ReadError) {
    guard let pattern = source.container.members.first(where: { !matched.contains($0) }) else { return }
    let near = NearestName.find(pattern, in: others).map { "; did you mean “\($0)”?" } ?? ""
    let list =
      near.isEmpty && !others.isEmpty ? "; it has \(others.prefix(5).map { "“\($0)”" }.joined(separator: ", "))" : ""
    throw ReadError(
      .missingMember, path: source.path, message: "the archive has no member “\(pattern)”\(near)\(list)")
  }

  /// Unpacks a member that is itself compressed.
  private func unpacked(_ member: any ByteStream) throws(ReadError) -> any ByteStream {
    // Whoever says how the archive is packed says it all.
    if source.container.formats != nil { return member }
    let input = InputBuffer(member)
    let claimed = ContainerFormat.named(member.path).first
    guard let format = try Self.format(input, wanted: nil, claimed: claimed) else { return input }
    if format.isArchive {
      throw ReadError(
        .unsupportedContainer, path: member.path,
        message: "a \(format.rawValue) archive inside an archive is not opened; unpack the outer one first")
    }
    return DecompressedStream(
      input, Self.decompressor(format), maximumExpansion: source.container.maximumExpansion)
  }

  // MARK: Formats

  /// The format of what stands in the buffer; nil for none.
  private static func format(
    _ input: InputBuffer, wanted: ContainerFormat?, claimed: ContainerFormat?
  ) throws(ReadError) -> ContainerFormat? {
    _ = try input.need(ContainerFormat.sampleSize)
    let sample = UnsafeRawBufferPointer(rebasing: input.available.prefix(ContainerFormat.sampleSize))
    let found = ContainerFormat(sample: sample)
    if let wanted, wanted != found {
      // What is cut in its signature is truncated, and so is a tar archive's first header.
      if isBegin(of: wanted, sample) || (wanted == .tar && sample.count < TarHeader.size) { throw cut(wanted, input) }
      if wanted == .tar, sample.allSatisfy({ $0 == 0 }) { return .tar }
      let what = found.map { "is \($0.rawValue)" } ?? "is not"
      throw ReadError(
        .corrupt, path: input.path,
        message: "\(wanted.rawValue) data is expected, but the file \(what); correct “compression”, or leave it out",
        hasCure: true)
    }
    if found == nil, let claimed {
      if isBegin(of: claimed, sample) { throw cut(claimed, input) }
      if claimed == .tar, sample.count == TarHeader.size, sample.allSatisfy({ $0 == 0 }) { return .tar }
    }
    if found == nil, let name = ContainerFormat.unsupported(sample: sample) {
      throw ReadError(
        .unsupportedContainer, path: input.path,
        message: "\(name) files are not read; gzip, zstd, bzip2, xz, zip and tar are")
    }
    if found == nil, let (name, advice) = ContainerFormat.binary(sample: sample) {
      throw ReadError(.unsupportedContainer, path: input.path, message: "this is \(name), which is not read; \(advice)")
    }
    if found == nil, TarHeader.isDamaged(sample) {
      throw ReadError(container: .corrupt, input.path, at: 0, "the tar archive's first header is damaged")
    }
    return found
  }

  /// Whether reads of a file end, so that a thread that reads it can be waited for.
  private static func isBounded(_ file: any ByteStream) -> Bool {
    !(file is ReplayedStream) && (file as? FileStream)?.isSeekable != false
  }

  /// Whether all there is of a file is the first part of a signature.
  private static func isBegin(of format: ContainerFormat, _ sample: UnsafeRawBufferPointer) -> Bool {
    switch format {
    case .tar: sample.count < TarHeader.size && (sample.isEmpty || sample.contains(0))
    case .bzip2: sample.count < 10 && sample.starts(with: format.magic.prefix(sample.count))
    case .zip: sample.count < 22 && sample.starts(with: format.magic.prefix(sample.count))
    default: sample.count < format.magic.count && format.magic.starts(with: sample)
    }
  }

  /// Holds that what is no packed file is not the first bytes of one that was cut in its signature.
  ///
  /// - Parameter isNamed: whether a name speaks for a file that is not packed, so that one to three letters are a text.
  private static func checkBegin(_ input: InputBuffer, isNamed: Bool) throws(ReadError) {
    guard input.atEnd, let (format, isCertain) = ContainerFormat.begun(by: input.available) else { return }
    if isCertain { throw cut(format, input) }
    if isNamed { return }
    let text = String(decoding: input.available, as: UTF8.self)
    throw ReadError(
      container: .truncated, input.path, at: input.available.count,
      "all there is are the letters “\(text)”, with which \(format.rawValue) data begins: it ends too early; if this is"
        + " a text, set “compression: none”", hasCure: true)
  }

  /// Whether an input has a name of its own: a regular file, or a pipe whose name says what text is in it.
  private static func isNamed(_ file: any ByteStream) -> Bool {
    isBounded(file) || SourceFormat(fileName: file.path) != nil
  }

  private static func cut(_ format: ContainerFormat, _ input: InputBuffer) -> ReadError {
    ReadError(
      container: .truncated, input.path, at: input.available.count, "the \(format.rawValue) data ends too early")
  }

  /// The decompressor of a format that is no archive.
  static func decompressor(_ format: ContainerFormat) -> any Decompressor {
    switch format {
    case .gzip: DeflateDecompressor(.gzip)
    case .zstd: ZstdDecompressor()
    case .bzip2: Bzip2Decompressor()
    case .xz: XZDecompressor()
    case .tar, .zip: preconditionFailure("an archive is not a stream")
    }
  }

  private static func note(_ found: [ContainerFormat], claimed: [ContainerFormat]) -> String? {
    if claimed.isEmpty || found.starts(with: claimed) { return nil }
    let name = claimed.map(\.rawValue).joined(separator: " of ")
    let what = found.isEmpty ? "is not packed" : "is \(found.map(\.rawValue).joined(separator: " of "))"
    return "is named as if it were \(name), but \(what); its bytes are believed"
  }
}

/// How members are chosen by name.
enum MemberPattern {
  /// The names and patterns that choose a member: shell patterns match its whole path, and `*` stands for slashes, too.
  ///
  /// What macOS adds to archives is meant only when it is named.
  static func chosen(_ name: String, by patterns: [String]) -> [String] {
    patterns.filter { $0 == name || !isResourceFork(name) && fnmatch($0, name, 0) == 0 }
  }

  /// Whether a member is one that macOS adds to archives beside each file.
  static func isResourceFork(_ name: String) -> Bool {
    name.hasPrefix("__MACOSX/") || name.split(separator: "/").last?.hasPrefix("._") == true
  }
}

/// The one member of an archive; a second one is an error, so that none is skipped in silence.
final class OnlyMember: ByteStream {
  private let contents: SourceContents
  private let stream: any ByteStream
  private var atEnd = false

  init(_ contents: SourceContents) throws(ReadError) {
    self.contents = contents
    stream = try contents.first()
  }

  var path: String { stream.path }
  var bytesRead: Int { contents.bytesRead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if atEnd { return 0 }
    let count = try stream.read(into: buffer)
    if count > 0 { return count }
    atEnd = true
    if let other = try contents.next() {
      throw ReadError(
        .severalMembers, path: path, message: "several members are chosen, this one and \(other.path)")
    }
    return 0
  }
}
