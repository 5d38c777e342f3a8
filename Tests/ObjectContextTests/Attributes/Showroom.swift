import MergewalkObjectContext
import MergewalkObjectModel
import Testing

/// A value that no attribute type holds.
struct Paint: Equatable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8
}

/// Three bytes a colour, counted.
final class PaintTransformer: ValueTransformer {
  var forward = 0
  var reverse = 0

  func transformedValue(_ value: Any) throws -> [UInt8] {
    forward += 1
    guard let paint = value as? Paint else { throw ValueTransformerError("expected a Paint, found \(type(of: value))") }
    return [paint.red, paint.green, paint.blue]
  }

  func reverseTransformedValue(_ bytes: [UInt8]) throws -> Any {
    reverse += 1
    guard bytes.count == 3 else { throw ValueTransformerError("expected 3 bytes, found \(bytes.count)") }
    return Paint(red: bytes[0], green: bytes[1], blue: bytes[2])
  }
}

struct OneWayTransformer: ValueTransformer {
  var allowsReverse: Bool { false }
  func transformedValue(_ value: Any) throws -> [UInt8] { Array("\(value)".utf8) }
  func reverseTransformedValue(_ bytes: [UInt8]) throws -> Any { throw ValueTransformerError("not possible") }
}

/// The default transformer with counters.
final class CountingArchiver: UnarchivingTransformer {
  var reads = 0
  var writes = 0
  func transformedValue(_ bytes: [UInt8]) throws -> Any {
    reads += 1
    return try PlainArchiver().transformedValue(bytes)
  }
  func reverseTransformedValue(_ value: Any) throws -> [UInt8] {
    writes += 1
    return try PlainArchiver().reverseTransformedValue(value)
  }
}

final class Car: ManagedObject {
  @Managed("plate") var plate: String?
  @Transformed("paint") var paint: Paint?
  @Transformed("notes") var notes: [String]?
}

extension Models {
  static func showroom() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      ModelReader.parse(
        Array(
          """
          entities:
            Car:
              attributes:
                plate: string
                paint: { type: transformable, transformer: PaintTransformer }
                notes: transformable
          """.utf8), path: "showroom.yaml"))
  }
}
