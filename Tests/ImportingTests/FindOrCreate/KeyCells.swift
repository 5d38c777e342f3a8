@testable import MergewalkImporting
import MergewalkObjectStore

/// Columns of key cells and the bytes they refer to, for tests of keys.
struct KeyCells {
  private(set) var columns: [CellColumn]
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  init(parts: Int) { columns = Array(repeating: CellColumn(), count: parts) }

  mutating func append(_ key: [Value]) {
    for (i, part) in key.enumerated() {
      switch part {
      case .null:
        columns[i].tags.append(CellTag.null)
        columns[i].payloads.append(0)
      case .integer(let number):
        columns[i].tags.append(CellTag.integer)
        columns[i].payloads.append(UInt64(bitPattern: number))
      case .text(let text):
        columns[i].tags.append(CellTag.text)
        columns[i].payloads.append(ByteRange(offset: bytes.count, length: text.count).payload)
        bytes += text
      }
    }
    count += 1
  }

  /// Lends the memory of the columns.
  func withViews<R>(_ body: ([CellColumnView], UnsafeRawPointer) -> R) -> R {
    (bytes + [0]).withUnsafeBytes { arena in
      lend(0, []) { body($0, arena.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)) }
    }
  }

  private func lend<R>(_ index: Int, _ views: [CellColumnView], _ body: ([CellColumnView]) -> R) -> R {
    guard index < columns.count else { return body(views) }
    return columns[index].tags.withUnsafeBufferPointer { tags in
      columns[index].payloads.withUnsafeBufferPointer { payloads in
        guard let tags = tags.baseAddress, let payloads = payloads.baseAddress else {
          preconditionFailure("there is at least one key")
        }
        return lend(index + 1, views + [CellColumnView(tags: tags, payloads: payloads)], body)
      }
    }
  }
}
