// The reader benchmark's baseline: Foundation's JSONSerialization, line by line, and the eleven fields of each order.

import Foundation

/// Processor seconds of this process, all threads, user and system.
func processorSeconds() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
  return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("foundation-ndjson: \(message)\n".utf8))
  exit(66)
}

/// Whether the object has all the members; their values are taken out as a program would.
func take(_ names: [String], _ object: [String: Any], _ fields: inout Int) -> Bool {
  for name in names {
    switch object[name] {
    case let text as String: fields += text.utf8.count >= 0 ? 1 : 0
    case let number as NSNumber: fields += number.doubleValue.isFinite ? 1 : 0
    default: return false
    }
  }
  return true
}

@main
struct FoundationNDJSON {
  static func main() {
    guard CommandLine.arguments.count == 2 else { fail("usage: foundation-ndjson FILE") }
    let clock = ContinuousClock()
    let start = clock.now
    let processorStart = processorSeconds()
    guard let text = try? Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]), options: .alwaysMapped)
    else {
      fail("cannot read the file")
    }
    var records = 0
    var fields = 0
    var next = text.startIndex
    while next < text.endIndex {
      let end = text[next...].firstIndex(of: 10) ?? text.endIndex
      let line = text[next..<end]
      next = min(end + 1, text.endIndex)
      // What a line leaves behind is freed before the next one.
      let isRead = autoreleasing {
        guard let order = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
          let customer = order["customer"] as? [String: Any], let product = order["product"] as? [String: Any]
        else { return false }
        return take(["order_id", "ordered_at", "quantity", "unit_price", "note"], order, &fields)
          && take(["email", "name", "country"], customer, &fields)
          && take(["sku", "name", "category"], product, &fields)
      }
      guard isRead else { fail("line \(records + 1) is no order") }
      records += 1
    }
    let seconds = (clock.now - start) / .seconds(1)
    let processor = processorSeconds() - processorStart
    print(
      "{\"records\": \(records), \"fields\": \(fields), \"seconds\": \(seconds), \"cpu_seconds\": \(processor)}")
  }

  /// Linux has no autorelease pools and needs none.
  private static func autoreleasing(_ body: () -> Bool) -> Bool {
    #if canImport(ObjectiveC)
      return autoreleasepool(invoking: body)
    #else
      return body()
    #endif
  }
}
