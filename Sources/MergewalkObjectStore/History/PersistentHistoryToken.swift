public import MergewalkObjectModel

/// A position in the history of one or more stores: everything up to a transaction.
///
/// A reader of history keeps a token between its runs, as text (``description``) or by `Codable`. A token names its
/// stores, so a token of another store is refused instead of being misread.
///
/// Source: Apple,
/// [NSPersistentHistoryToken](https://developer.apple.com/documentation/coredata/nspersistenthistorytoken).
public struct PersistentHistoryToken: Sendable, Hashable {
  /// The number of the last transaction before the place, by the UUIDs of the stores.
  private var numbers: [String: Int64]

  /// The maximum length of a token's text in bytes: some thousand stores.
  public static let greatestLength = 1 << 16

  /// Creates a position in the history of one store.
  ///
  /// Returns `nil` unless `storeID` is a store's UUID (36 characters in upper case) and the number is not negative.
  public init?(storeID: String, transactionNumber: Int64) {
    guard StoreUUID.isValid(storeID), transactionNumber >= 0 else { return nil }
    numbers = [storeID: transactionNumber]
  }

  /// Creates a position in the histories of several stores; of two positions in one store, the later counts.
  public init(_ tokens: some Sequence<PersistentHistoryToken>) {
    numbers = [:]
    for token in tokens { numbers.merge(token.numbers) { max($0, $1) } }
  }

  init(store: PersistentStore, number: Int64) { numbers = [store.identifier: max(number, 0)] }

  /// The UUIDs of the stores, sorted.
  public var storeIDs: [String] { numbers.keys.sorted() }

  /// The number of the last transaction before the position, or `nil` if the token does not include the store.
  public func transactionNumber(forStore storeID: String) -> Int64? { numbers[storeID] }
}

extension PersistentHistoryToken: LosslessStringConvertible {
  /// Reads the text of ``description``; `nil` for anything else.
  public init?(_ description: String) {
    guard description.utf8.count <= Self.greatestLength else { return nil }
    var numbers: [String: Int64] = [:]
    for part in description.split(separator: ",", omittingEmptySubsequences: false) {
      let fields = part.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 2, StoreUUID.isValid(String(fields[0])),
        fields[1].utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
        let number = Int64(fields[1]),
        numbers.updateValue(number, forKey: String(fields[0])) == nil
      else { return nil }
    }
    self.numbers = numbers
  }

  /// `UUID:17`; for several stores sorted and separated by commas.
  public var description: String { storeIDs.map { "\($0):\(numbers[$0] ?? 0)" }.joined(separator: ",") }
}

extension PersistentHistoryToken: PredicateArgument {
  /// The numbers by the UUIDs of the stores; each store takes its own when it reads its history.
  public var constantValue: ConstantValue { .dictionary(numbers.mapValues { .attribute(.integer($0)) }) }
}

extension HistoryReader {
  /// A predicate over transactions with this store's numbers in place of tokens.
  ///
  /// - Throws: ``StoreError`` with `foreignHistoryToken` for a token of another store.
  func numbering(_ predicate: ObjectPredicate) throws(StoreError) -> ObjectPredicate {
    try predicate.replacing { expression throws(StoreError) in
      guard case .constant(.dictionary(let numbers)) = expression else { return nil }
      guard let number = numbers[store.identifier] else {
        let owners = numbers.keys.sorted().joined(separator: ", ")
        throw StoreError(
          .foreignHistoryToken, path: store.path,
          message: "a token of the predicate belongs to the history of \(owners), not to this store's, "
            + store.identifier)
      }
      return .constant(number)
    }
  }
}

extension PersistentHistoryToken: Codable {
  /// Reads the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let token = PersistentHistoryToken(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "this is not a token of persistent history")
    }
    self = token
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
