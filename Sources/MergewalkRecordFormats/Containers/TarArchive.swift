import MergewalkBytes

/// The members of a tar archive, in the order of the stream.
///
/// The archive ends with two blocks of zeros, followed only by zeros; an archive without them is truncated.
final class TarArchive {
  private let input: InputBuffer
  /// Bytes of the member at hand that were not read.
  private var left = 0
  /// Bytes that fill the member's last block.
  private var padding = 0
  private var global = PaxRecords()
  private var atEnd = false
  /// Goes up with each member, so that a stream knows when it is over.
  private var generation = 0

  /// pax records and long names are not longer than this.
  private static let longestRecords = 1 << 20

  init(_ input: InputBuffer) { self.input = input }

  var bytesRead: Int { input.bytesRead }
  var path: String { input.path }

  /// Moves on to the next file; nil at the end of the archive.
  ///
  /// Its stream can be read until the next call.
  func next() throws(ReadError) -> (name: String, stream: any ByteStream)? {
    try passMember()
    var local = PaxRecords()
    var longName: [UInt8]?
    while !atEnd {
      guard var header = try readHeader() else { break }
      switch header.kind {
      case .paxRecords:
        if try !local.add(records(header)) { throw fault("damaged pax records") }
      case .globalPaxRecords:
        if try !global.add(records(header)) { throw fault("damaged pax records") }
      case .longName: longName = Array(try records(header).prefix { $0 != 0 })
      case .longLink: _ = try records(header)
      case .file, .other, .sparse:
        if let size = local.size ?? global.size, header.kind != .other { header.byteCount = size }
        let name = local.path ?? global.path ?? longName ?? header.name
        start(header.byteCount)
        let text = Self.displayed(name)
        if header.kind == .sparse || local.isSparse {
          throw ReadError(
            .unsupportedContainer, path: path + "/" + text,
            message: "the member has holes (a sparse file), which are not read; pack it with tar --hole-detection=raw"
              + " or without --sparse")
        }
        if header.kind == .file { return (text, TarMember(self, name: text, generation: generation)) }
        try passMember()
        local = PaxRecords()
        longName = nil
      }
    }
    return nil
  }

  /// A name without a leading `./`.
  static func displayed(_ name: [UInt8]) -> String {
    let text = String(spelling: name)
    return text.hasPrefix("./") && text.utf8.count > 2 ? String(text.dropFirst(2)) : text
  }

  /// Reads from the member at hand.
  fileprivate func read(into buffer: UnsafeMutableRawBufferPointer, _ member: Int) throws(ReadError) -> Int {
    guard member == generation, left > 0 else { return 0 }
    let count = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, left)]))
    if count == 0 { throw truncated() }
    left -= count
    return count
  }

  private func start(_ byteCount: Int) {
    generation += 1
    left = byteCount
    padding = (TarHeader.size - byteCount % TarHeader.size) % TarHeader.size
  }

  /// Goes over what is left of the member at hand.
  private func passMember() throws(ReadError) {
    var rest = left + padding
    left = 0
    padding = 0
    while rest > 0 {
      if try !input.need(1) { throw truncated() }
      let count = min(rest, input.available.count)
      input.consume(count)
      rest -= count
    }
  }

  /// Reads a header; nil at the archive's end.
  private func readHeader() throws(ReadError) -> TarHeader? {
    if try !input.need(TarHeader.size) { throw truncated() }
    if input.available.prefix(TarHeader.size).allSatisfy({ $0 == 0 }) {
      input.consume(TarHeader.size)
      if try !input.need(TarHeader.size) { throw truncated() }
      while try input.need(1) {
        let zeros = input.available.prefix { $0 == 0 }.count
        if zeros == 0 { throw fault("something other than zeros after the end of the archive") }
        input.consume(zeros)
      }
      atEnd = true
      return nil
    }
    guard let header = TarHeader(UnsafeRawBufferPointer(rebasing: input.available.prefix(TarHeader.size))) else {
      throw fault("a damaged header: its checksum is wrong")
    }
    input.consume(TarHeader.size)
    return header
  }

  /// Reads what stands behind a header of records or of a long name.
  private func records(_ header: TarHeader) throws(ReadError) -> [UInt8] {
    guard header.byteCount <= Self.longestRecords else { throw fault("more than 1 MiB of records for one member") }
    var bytes: [UInt8] = []
    while bytes.count < header.byteCount {
      if try !input.need(1) { throw truncated() }
      let piece = input.available.prefix(header.byteCount - bytes.count)
      bytes += piece
      input.consume(piece.count)
    }
    start(header.byteCount)
    left = 0
    try passMember()
    return bytes
  }

  private func truncated() -> ReadError {
    ReadError(
      container: .truncated, path, at: input.offset + input.available.count, "the tar archive ends too early")
  }

  private func fault(_ message: String) -> ReadError {
    ReadError(container: .corrupt, path, at: input.offset, "the tar archive has " + message)
  }
}

/// One file of a tar archive.
private final class TarMember: ByteStream {
  let path: String
  private let archive: TarArchive
  private let generation: Int

  init(_ archive: TarArchive, name: String, generation: Int) {
    self.archive = archive
    self.generation = generation
    path = archive.path + "/" + name
  }

  var bytesRead: Int { archive.bytesRead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    try archive.read(into: buffer, generation)
  }
}
