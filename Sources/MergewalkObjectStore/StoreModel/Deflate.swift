import CMergewalkZlib

/// Raw DEFLATE streams, ones without a header.
package enum Deflate {
  /// The most bytes that a stream may inflate to.
  static let limit = 64 << 20

  /// Compresses bytes; the same bytes always give the same stream.
  ///
  /// - Throws: `outOfMemory`, the only way in which zlib fails to compress.
  package static func deflate(_ bytes: [UInt8]) throws(StoreError) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard deflateInit2_(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK else {
      throw outOfMemory
    }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let count: Int? = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        return CMergewalkZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END ? target.count - Int(stream.avail_out) : nil
      }
    }
    guard let count else { throw outOfMemory }
    return Array(output.prefix(count))
  }

  private static var outOfMemory: StoreError {
    StoreError(.outOfMemory, path: "", message: "there is not enough memory to compress the copy of the model")
  }

  /// Inflates a stream; `nil` when it is damaged or too large.
  package static func inflate(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: 1 << 16)
    var result: [UInt8] = []
    return input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      while true {
        let (code, produced) = output.withUnsafeMutableBufferPointer { target in
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(target.count)
          return (CMergewalkZlib.inflate(&stream, Z_NO_FLUSH), target.count - Int(stream.avail_out))
        }
        result += output.prefix(produced)
        guard result.count <= limit else { return nil }
        if code == Z_STREAM_END { return result }
        // Without progress the stream is cut off.
        guard code == Z_OK, produced > 0 || stream.avail_in > 0 else { return nil }
      }
    }
  }
}
