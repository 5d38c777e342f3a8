import Bytes
import ObjectModel
import ObjectStore
import RecordFormats

/// Steps from texts to texts. What is a part of the text stays where it is; only new texts take memory.
extension TransformMachine {
  func text(
    _ from: Int, _ operation: Instruction.TextOperation, _ index: Int, _ output: inout Register,
    _ records: inout RecordBatch
  ) {
    let tooLong = Cell.failed(.tooLong, index)
    switch operation {
    case .trim:
      eachText(from, &output, &records) { text, offset, _ in
        let range = WhiteSpace.trimmed(text)
        return .range(offset + range.lowerBound, range.count)
      }
    case .strip(let characters):
      eachText(from, &output, &records) { text, offset, _ in
        let range = TextSteps.stripped(text, characters)
        return .range(offset + range.lowerBound, range.count)
      }
    case .substring(let start, let length):
      eachText(from, &output, &records) { text, offset, _ in
        let range = TextSteps.substring(text, from: start, length: length)
        return .range(offset + range.lowerBound, range.count)
      }
    case .split(let separator, let take):
      eachText(from, &output, &records) { text, offset, _ in
        guard let range = TextSteps.part(text, separator, take) else { return .null }
        return .range(offset + range.lowerBound, range.count)
      }
    case .extract(let search, let group):
      eachText(from, &output, &records) { text, offset, _ in
        switch search.first(in: text, group: group) {
        case .found(let range): return .range(offset + range.lowerBound, range.count)
        case .nothing: return .null
        case .tooSlow: return .failed(.pattern, index)
        }
      }
    case .replacePattern(let search):
      var made: [UInt8] = []
      eachText(from, &output, &records) { text, _, sink in
        made.removeAll(keepingCapacity: true)
        guard search.replaceAll(text, to: &made) else { return .failed(.pattern, index) }
        let start = sink.position
        return made.withUnsafeBufferPointer { sink.append($0) } ? .range(start, made.count) : tooLong
      }
    default: make(from, operation, tooLong, &output, &records)
    }
  }

  /// The steps that write new texts.
  private func make(
    _ from: Int, _ operation: Instruction.TextOperation, _ tooLong: Cell, _ output: inout Register,
    _ records: inout RecordBatch
  ) {
    switch operation {
    case .upper: write(from, tooLong, &output, &records) { TextSteps.changeCase($0, upper: true, &$1) }
    case .lower: write(from, tooLong, &output, &records) { TextSteps.changeCase($0, upper: false, &$1) }
    case .capitalise: write(from, tooLong, &output, &records) { TextSteps.capitalise($0, &$1) }
    case .collapse: write(from, tooLong, &output, &records) { TextSteps.collapse($0, &$1) }
    case .unaccent: write(from, tooLong, &output, &records) { TextSteps.fold($0, .diacriticInsensitive, &$1) }
    case .canonical:
      write(from, tooLong, &output, &records) { TextSteps.fold($0, [.caseInsensitive, .diacriticInsensitive], &$1) }
    case .replace(let old, let new): write(from, tooLong, &output, &records) { TextSteps.replace($0, old, new, &$1) }
    case .pad(let length, let filling, let atStart):
      write(from, tooLong, &output, &records) { TextSteps.pad($0, length, filling, atStart, &$1) }
    case .prepend(let part):
      write(from, tooLong, &output, &records) { text, sink in
        part.withUnsafeBufferPointer { sink.append($0) } && sink.append(text)
      }
    case .append(let part):
      write(from, tooLong, &output, &records) { text, sink in
        sink.append(text) && part.withUnsafeBufferPointer { sink.append($0) }
      }
    default: preconditionFailure("the step writes no text")
    }
  }

  @inline(__always)
  private func write(
    _ from: Int, _ tooLong: Cell, _ output: inout Register, _ records: inout RecordBatch,
    _ body: (FieldBytes, inout ByteSink) -> Bool
  ) {
    eachText(from, &output, &records) { text, _, sink in
      let start = sink.position
      if body(text, &sink), sink.position - start <= ByteSink.greatestValue {
        return .range(start, sink.position - start)
      }
      sink.cut(to: start)
      return tooLong
    }
  }

  /// Joins the texts that are there.
  func concat(
    _ parts: [Int], _ separator: [UInt8], _ index: Int, _ output: inout Register, _ records: inout RecordBatch
  ) {
    sink.start(base: records.byteCount)
    records.bytes.withUnsafeBufferPointer { bytes in
      for i in 0..<count {
        let start = sink.position
        var isFirst = true
        var failure: UInt64?
        var fits = true
        for part in parts {
          let tag = registers[part].tags[i]
          if tag == Register.failed { failure = failure ?? registers[part].payloads[i] }
          guard tag == Register.value else { continue }
          let range = ByteRange(payload: registers[part].payloads[i])
          if !isFirst { fits = fits && separator.withUnsafeBufferPointer { sink.append($0) } }
          fits =
            fits && sink.append(FieldBytes(rebasing: bytes[range.offset..<range.offset + range.length]))
            && sink.position - start <= ByteSink.greatestValue
          isFirst = false
        }
        if let failure {
          sink.cut(to: start)
          output.tags[i] = Register.failed
          output.payloads[i] = failure
        } else if isFirst {
          output.tags[i] = registers[parts[0]].tags[i]
        } else if fits {
          output.tags[i] = Register.value
          output.payloads[i] = ByteRange(offset: start, length: sink.position - start).payload
        } else {
          sink.cut(to: start)
          let cell = Cell.failed(.tooLong, index)
          output.tags[i] = cell.tag
          output.payloads[i] = cell.payload
        }
      }
    }
    if sink.count > 0 { sink.withBytes { _ = records.appendBytes($0) } }
  }

  /// Counts characters.
  func length(_ from: Int, _ output: inout Register, _ records: RecordBatch) {
    eachText(from, &output, reading: records) { .value(UInt64(TextSteps.scalarCount($0))) }
  }

  /// Looks values up in a table.
  func map(
    _ from: Int, _ table: ValueTable, _ fallback: Instruction.MapFallback, _ failure: TransformFailure, _ index: Int,
    _ output: inout Register, _ records: inout RecordBatch
  ) {
    let tooLong = Cell.failed(.tooLong, index)
    eachText(from, &output, &records) { text, offset, sink in
      let start = sink.position
      if let fits = table.withValue(of: text, { sink.append($0) }) {
        return fits ? .range(start, sink.position - start) : tooLong
      }
      switch fallback {
      case .reject: return .failed(failure, index)
      case .null: return .null
      case .keep: return .range(offset, text.count)
      case .text(let bytes):
        return bytes.withUnsafeBufferPointer { sink.append($0) } ? .range(start, bytes.count) : tooLong
      }
    }
  }

  /// Computes digests.
  func hash(
    _ from: Int, _ function: TransformStep.HashFunction, _ index: Int, _ output: inout Register,
    _ records: inout RecordBatch
  ) {
    let digest: Digests.Function =
      switch function {
      case .sha256, .stable64: .sha256
      case .sha512: .sha512
      case .sha1: .sha1
      case .md5: .md5
      }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { room in
      guard let room = room.baseAddress else { return }
      eachText(from, &output, &records) { text, _, sink in
        let length = Digests.digest(UnsafeRawBufferPointer(text), digest, to: room)
        // The system's policy forbids the function.
        guard length > 0 else { return .failed(.expression, index) }
        if function == .stable64 {
          var number: UInt64 = 0
          for byte in 0..<8 { number = number << 8 | UInt64(room[byte]) }
          return .value(number)
        }
        let start = sink.position
        guard let target = sink.reserve(2 * length) else { return .failed(.tooLong, index) }
        for byte in 0..<length {
          target[2 * byte] = Hexadecimal.digit(room[byte] >> 4)
          target[2 * byte + 1] = Hexadecimal.digit(room[byte] & 15)
        }
        sink.take(2 * length)
        return .range(start, 2 * length)
      }
    }
  }
}
