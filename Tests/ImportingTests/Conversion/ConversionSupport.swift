@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
@testable import MergewalkRecordFormats

/// A field of a made-up record.
struct MadeField {
  var text: String
  var state: FieldState

  init(_ text: String, _ state: FieldState = .text) {
    self.text = text
    self.state = state
  }

  static let absent = MadeField("", .absent)
  static let null = MadeField("", .null)
}

/// A batch of one column that holds these fields; each record's raw text is its field.
func makeBatch(_ fields: [MadeField]) -> RecordBatch {
  var batch = RecordBatch()
  batch.clear(columnCount: 1)
  for (index, field) in fields.enumerated() {
    batch.starts.append(UInt32(batch.bytes.count))
    batch.lengths.append(UInt32(field.text.utf8.count))
    batch.states.append(field.state.rawValue)
    batch.records.append(
      RecordPosition(
        index: index, line: index + 1, byteOffset: batch.bytes.count, rawStart: UInt32(batch.bytes.count),
        rawLength: UInt32(field.text.utf8.count)))
    batch.bytes.append(contentsOf: field.text.utf8)
    batch.bytes.append(UInt8(ascii: "\n"))
  }
  batch.recordCount = fields.count
  batch.byteCount = batch.bytes.count
  return batch
}

/// What became of a field.
enum Converted: Equatable, CustomStringConvertible {
  case null
  case absent
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  case failed(RejectCode)

  var description: String {
    switch self {
    case .null: "null"
    case .absent: "absent"
    case .integer(let value): "integer \(value)"
    case .real(let value): "real \(value)"
    case .text(let value): "text \(value)"
    case .blob(let value): "blob \(value)"
    case .failed(let code): "failed \(code.rawValue)"
    }
  }
}

/// Converts fields through a whole batch, as imports do.
func convert(
  _ fields: [MadeField], _ type: AttributeType, default value: AttributeValue? = nil,
  _ configure: (inout FieldImport) -> Void = { _ in }
) throws -> [Converted] {
  var attribute = AttributeDescription(name: "attribute", type: type)
  attribute.isOptional = true
  attribute.defaultValue = value
  var field = FieldImport(attributeName: "attribute", column: "column")
  configure(&field)
  let compiled = try CompiledField(field, attribute: attribute)
  var batch = makeBatch(fields)
  var cells = CellColumn()
  var failures: [FieldFailure] = []
  compiled.convert(&batch, column: 0, into: &cells, failures: &failures)
  var codes: [Int32: RejectCode] = [:]
  for failure in failures { codes[failure.record] = failure.code }
  precondition(codes.count == failures.count, "a record failed twice in one column")
  return fields.indices.map { index in
    let payload = cells.payloads[index]
    let range = ByteRange(payload: payload)
    switch cells.tags[index] {
    case CellTag.null: return .null
    case CellTag.absent: return .absent
    case CellTag.integer: return .integer(Int64(bitPattern: payload))
    case CellTag.real: return .real(Double(bitPattern: payload))
    case CellTag.text:
      return .text(String(decoding: batch.bytes[range.offset..<range.offset + range.length], as: UTF8.self))
    case CellTag.blob: return .blob(Array(batch.bytes[range.offset..<range.offset + range.length]))
    default: return codes[Int32(index)].map { .failed($0) } ?? .absent
    }
  }
}

/// Converts one text.
func convert(
  _ text: String, _ type: AttributeType, _ configure: (inout FieldImport) -> Void = { _ in }
) throws -> Converted {
  try convert([MadeField(text)], type, configure)[0]
}
