/// The parts of an object's URI, before anything is known about model and store.
struct ObjectURI {
  let storeUUID: String
  let entityName: String
  let primaryKey: Int64

  /// Takes `x-coredata://UUID/Entity/p17` apart; `nil` for anything else, such as URIs of objects never saved.
  init?(_ text: String) {
    let scheme = "x-coredata://"
    guard text.hasPrefix(scheme) else { return nil }
    let parts = text.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, parts[2].first == "p" else { return nil }
    let digits = parts[2].dropFirst()
    guard digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      let key = Int64(digits), key > 0
    else { return nil }
    storeUUID = String(parts[0])
    entityName = String(parts[1])
    primaryKey = key
  }
}
