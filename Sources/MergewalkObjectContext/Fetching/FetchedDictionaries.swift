import MergewalkDiagnostics
public import MergewalkObjectModel
import MergewalkObjectStore

/// The dictionaries that a fetch found, in order.
///
/// The values are in one table; a row is a handle on it, and dictionaries and texts are created on demand. The result
/// is a value that other tasks can use.
///
/// ```swift
/// var request = FetchRequest("Order")
/// request.propertiesToFetch = ["customer.name", "amount"]
/// for row in try context.fetchDictionaries(request) { print(row["customer.name"] ?? .null) }
/// ```
public struct FetchedDictionaries: RandomAccessCollection, Sendable {
  /// The keys of the dictionaries in the order of the request.
  public var keys: [String] { content.columns.map(\.name) }
  let content: Content
  /// The rows of several stores in order; `nil` when the rows are those of ``content``.
  var merged: [FetchedDictionary]?

  /// The content that all rows share.
  final class Content: Sendable {
    let table: FetchedCells
    let columns: [FetchedColumn]
    let positions: [String: Int]
    /// The columns of attributes whose bytes say in their first byte where they are.
    let external: Set<Int>
    let storePath: String

    init(table: FetchedCells, columns: [FetchedColumn], external: Set<Int>, storePath: String) {
      self.table = table
      self.columns = columns
      self.external = external
      self.storePath = storePath
      positions = Dictionary(columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The first position.
  public var startIndex: Int { 0 }
  /// The number of dictionaries.
  public var endIndex: Int { merged?.count ?? content.table.count }

  /// The dictionary at a position.
  public subscript(position: Int) -> FetchedDictionary {
    // The number of dictionaries never changes: a place that is not there is the caller's mistake, as with an array.
    precondition(position >= 0 && position < endIndex, "place \(position) of \(endIndex) dictionaries")
    return merged?[position] ?? FetchedDictionary(content: content, row: position)
  }
}

extension FetchedDictionaries: CustomStringConvertible {
  /// The number of dictionaries and their keys.
  public var description: String {
    "\(PrintableText.count(count, "dictionary", "dictionaries")) of \(keys.joined(separator: ", "))"
  }
}

/// One dictionary of a fetch's result: values by name or by position.
///
/// A value is an `AttributeValue`, or a `ManagedObjectID` for a to-one relationship and for the object itself.
public struct FetchedDictionary: Sendable {
  let content: FetchedDictionaries.Content
  let row: Int

  /// The value of a key; `nil` when the request has no such key.
  public subscript(key: String) -> ConstantValue? { content.positions[key].map { self[$0] } }

  /// The value at a position in the order of `FetchedDictionaries.keys`.
  public subscript(index: Int) -> ConstantValue {
    let value = content.table.value(row: row, content.columns[index])
    guard content.external.contains(index), case .attribute(.binary(let bytes)) = value else { return value }
    return .attribute(.binary(ExternalData.value(bytes, store: content.storePath)))
  }

  /// Whether the value at a position is missing.
  public func isNull(_ index: Int) -> Bool {
    content.table.tag(row: row, content.columns[index].position) == CellTag.null
  }

  /// The whole number at a position (also a Boolean and the primary key of an object); `nil` for anything else.
  public func integer(_ index: Int) -> Int64? {
    let position = content.columns[index].position
    guard content.table.tag(row: row, position) == CellTag.integer else { return nil }
    return Int64(bitPattern: content.table.payload(row: row, position))
  }

  /// The number at a position, for dates the seconds since 2001-01-01 00:00:00 UTC; `nil` for anything else.
  public func double(_ index: Int) -> Double? {
    let position = content.columns[index].position
    let payload = content.table.payload(row: row, position)
    switch content.table.tag(row: row, position) {
    case CellTag.real: return Double(bitPattern: payload)
    case CellTag.integer: return Double(Int64(bitPattern: payload))
    case CellTag.text:
      // The sum of decimals may have more digits than a number has.
      guard case .attribute(.decimal(let number)) = self[index] else { return nil }
      return number.number.asDouble
    default: return nil
    }
  }

  /// A Swift dictionary with the values; as in Core Data, keys without a value are left out.
  public var dictionary: [String: ConstantValue] {
    var result: [String: ConstantValue] = [:]
    result.reserveCapacity(content.columns.count)
    for index in content.columns.indices where !isNull(index) { result[content.columns[index].name] = self[index] }
    return result
  }
}

extension FetchedDictionary: KeyedValues {
  /// The value of a key, so that predicates can be evaluated on the result.
  ///
  /// - Throws: `PredicateError` with `unknownKey`.
  public func evaluatedValue(forKey key: String) throws(PredicateError) -> EvaluatedValue {
    guard let value = self[key] else {
      throw PredicateError(.unknownKey, "the fetch has no value \"\(key)\"")
    }
    if case .objectID(let id) = value { return .objectID(id) }
    if case .attribute(let value) = value { return .attribute(value) }
    return .null
  }

  /// `nil`: a dictionary is not a managed object.
  public var evaluatedObjectID: ManagedObjectID? { nil }
}
