import MergewalkDiagnostics

/// A decompressor without I/O: turns the bytes that are there into others.
protocol Decompressor: AnyObject {
  var format: ContainerFormat { get }

  /// Unpacks what fits.
  ///
  /// - Parameter isLast: nothing follows `input`.
  /// - Returns: `used` and `written` both 0 when more input is needed.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(DecompressorFault) -> DecompressorStep

  /// Prepares for another member behind one that has ended.
  func restart()
}

struct DecompressorStep {
  /// Bytes of input used up.
  var used: Int
  /// Bytes of output written.
  var written: Int
  /// The member has ended, and its checksum is right.
  var isEnd: Bool
}

/// Why a decompressor cannot go on.
struct DecompressorFault: Error {
  var code: ReadError.Code
  var message: String
  /// Where the fault is, from the start of the step's input; below zero for what stands before it.
  var used = 0
}

extension ReadError {
  /// A fault of a container at an offset of it.
  init(container code: Code, _ path: String, at offset: Int, _ message: String, hasCure: Bool = false) {
    self.init(
      code, path: path, position: SourcePosition(line: 0, column: 0, byteOffset: offset),
      message: "\(message) (byte \(offset))", hasCure: hasCure)
  }
}

/// A stream of what a compressed stream holds.
///
/// Several members one behind the other are read as one. Behind the last one there may be nothing; gzip may have zeros
/// there, as tapes and some writers leave them.
final class DecompressedStream: ByteStream {
  private let input: InputBuffer
  private let decompressor: any Decompressor
  private let maximumExpansion: Int
  /// Whether another member may follow.
  private let allowsMembers: Bool
  private var produced = 0
  private var isBetweenMembers = false
  private var atEnd = false

  /// The number of bytes to unpack before the ratio is checked.
  private static let freeExpansion = 64 << 20

  init(
    _ input: InputBuffer, _ decompressor: any Decompressor, maximumExpansion: Int, allowsMembers: Bool = true
  ) {
    self.input = input
    self.decompressor = decompressor
    self.maximumExpansion = max(1, maximumExpansion)
    self.allowsMembers = allowsMembers
  }

  var path: String { input.path }
  var bytesRead: Int { input.bytesRead }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    while !atEnd {
      if isBetweenMembers {
        if try !findMember() { break }
        decompressor.restart()
        isBetweenMembers = false
      }
      if input.available.isEmpty, !input.atEnd { try input.fill() }
      let step = try step(into: buffer)
      input.consume(step.used)
      if step.isEnd {
        isBetweenMembers = true
      } else if step.used == 0, step.written == 0 {
        if input.atEnd {
          throw ReadError(
            container: .truncated, path, at: input.offset + input.available.count,
            "the \(decompressor.format.rawValue) data ends too early")
        }
        if input.available.count >= 1 << 15 { throw fault("is damaged") }
        try input.fill()
      }
      if step.written > 0 {
        try count(step.written)
        return step.written
      }
    }
    return 0
  }

  private func step(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> DecompressorStep {
    do {
      return try decompressor.step(input.available, into: buffer, isLast: input.atEnd)
    } catch {
      throw ReadError(
        container: error.code, path, at: input.offset + error.used,
        "the \(decompressor.format.rawValue) data \(error.message)")
    }
  }

  private func fault(_ message: String) -> ReadError {
    ReadError(container: .corrupt, path, at: input.offset, "the \(decompressor.format.rawValue) data \(message)")
  }

  private func count(_ written: Int) throws(ReadError) {
    produced += written
    if produced > Self.freeExpansion, produced / maximumExpansion > max(1, bytesRead) {
      throw ReadError(
        .expansionLimit, path: path,
        message: "more than \(maximumExpansion) bytes for each one of the file: \(produced) from \(bytesRead); "
          + "if that is right, raise the source's “max_expansion”")
    }
  }

  /// Looks for another member; false at the end of the input.
  private func findMember() throws(ReadError) -> Bool {
    if try !input.need(1) {
      atEnd = true
      return false
    }
    guard allowsMembers else { throw fault("has something after its end") }
    // One that is cut in its signature is a member that ends too early.
    _ = try input.need(4)
    let start = input.available.prefix(4)
    let magic = decompressor.format.magic.prefix(4)
    if start.starts(with: magic.prefix(start.count)) { return true }
    if decompressor.format == .zstd, start.count == 4,
      ContainerFormat(sample: UnsafeRawBufferPointer(rebasing: start)) == .zstd
    {
      return true
    }
    guard decompressor.format == .gzip else { throw fault("has something after its end") }
    while try input.need(1) {
      let zeros = input.available.prefix { $0 == 0 }.count
      if zeros == 0 { throw fault("has something other than zeros after its end") }
      input.consume(zeros)
    }
    atEnd = true
    return false
  }
}
