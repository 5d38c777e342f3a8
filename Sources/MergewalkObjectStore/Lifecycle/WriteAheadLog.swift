import MergewalkSystem
import MergewalkDiagnostics

/// The committed content of a write-ahead log, determined as SQLite does when it recovers one.
///
/// A process that was killed may have left pages of a transaction behind the last commit; they are no part of the log,
/// and the next writer overwrites them.
/// Source: [Database file format, section 4](https://sqlite.org/fileformat2.html#the_write_ahead_log).
struct WriteAheadLog {
  /// The bytes up to the end of the last commit; 0 when nothing is committed.
  private(set) var length = 0

  private static let headerLength = 32
  private static let frameHeaderLength = 24

  /// Reads a log; a file that does not exist, is empty or has no valid header holds nothing.
  ///
  /// - Complexity: O(bytes of the log).
  init(_ path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    let header = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.headerLength, alignment: 8)
    defer { header.deallocate() }
    guard Self.fill(header, file), let layout = Layout(header) else { return }
    let frame = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.frameHeaderLength + layout.pageSize, alignment: 8)
    defer { frame.deallocate() }
    var sum = layout.sum
    var offset = Self.headerLength
    while Self.fill(frame, file) {
      offset += frame.count
      guard layout.hasSalts(frame) else { return }
      sum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]), isBigEndian: layout.isBigEndian)
      sum.add(UnsafeRawBufferPointer(rebasing: frame[Self.frameHeaderLength...]), isBigEndian: layout.isBigEndian)
      guard sum.isStored(in: frame, at: 16) else { return }
      // A frame that ends a transaction names the size of the database.
      if frame.bigEndian(at: 4) != 0 {
        length = offset
      }
    }
  }

  /// Fills a buffer with the next bytes of a file; false at its end.
  private static func fill(_ buffer: UnsafeMutableRawBufferPointer, _ file: Int32) -> Bool {
    WholeBytes.read(file, into: buffer).count == buffer.count
  }

  /// The layout that the log's header gives.
  private struct Layout {
    let isBigEndian: Bool
    let pageSize: Int
    let salts: (UInt32, UInt32)
    let sum: Sum

    init?(_ header: UnsafeMutableRawBufferPointer) {
      let magic = header.bigEndian(at: 0)
      guard magic | 1 == 0x377F_0683 else { return nil }
      isBigEndian = magic & 1 == 1
      pageSize = Int(header.bigEndian(at: 8))
      guard pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else { return nil }
      salts = (header.bigEndian(at: 16), header.bigEndian(at: 20))
      var sum = Sum()
      sum.add(UnsafeRawBufferPointer(rebasing: header[..<24]), isBigEndian: isBigEndian)
      guard sum.isStored(in: header, at: 24) else { return nil }
      self.sum = sum
    }

    func hasSalts(_ frame: UnsafeMutableRawBufferPointer) -> Bool {
      frame.bigEndian(at: 8) == salts.0 && frame.bigEndian(at: 12) == salts.1
    }
  }

  /// The running checksum.
  private struct Sum {
    var first: UInt32 = 0
    var second: UInt32 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
      var first = first
      var second = second
      var offset = 0
      while offset + 8 <= bytes.count {
        var left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        var right = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        if isBigEndian {
          left = UInt32(bigEndian: left)
          right = UInt32(bigEndian: right)
        } else {
          left = UInt32(littleEndian: left)
          right = UInt32(littleEndian: right)
        }
        first = first &+ left &+ second
        second = second &+ right &+ first
        offset += 8
      }
      self.first = first
      self.second = second
    }

    func isStored(in bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
      bytes.bigEndian(at: offset) == first && bytes.bigEndian(at: offset + 4) == second
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate func bigEndian(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
