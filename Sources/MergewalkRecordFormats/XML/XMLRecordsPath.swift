/// Which elements of a document are records: `/orders/order`, `/*/order`, `//order`.
struct XMLRecordsPath {
  /// The names from the root on, or from anywhere; nil for any name.
  private(set) var steps: [XMLName?] = [nil, nil]
  /// Whether the first step may be at any depth.
  private(set) var isAnywhere = false
  /// The steps as they are written.
  private(set) var names = ["*", "*"]

  static let longest = 60

  /// The children of the root.
  init() {}

  /// Reads a path, or returns nil if it is none.
  init?(_ text: String, _ namespaces: XMLNamespaces) {
    var rest = Array(text.utf8)[...]
    if rest.starts(with: "//".utf8) {
      isAnywhere = true
      rest = rest.dropFirst(2)
    } else if rest.first == UInt8(ascii: "/") {
      rest = rest.dropFirst()
    }
    steps = []
    names = []
    for step in rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      names.append(String(decoding: step, as: UTF8.self))
      if step.elementsEqual("*".utf8) {
        steps.append(nil)
        continue
      }
      let isOther = step.first == UInt8(ascii: "@") || step.contains { "[]()*'\" \t".utf8.contains($0) }
      guard !isOther, let name = namespaces.name(Array(step), isAttribute: false) else { return nil }
      steps.append(name)
    }
    if steps.isEmpty || steps.count > Self.longest { return nil }
  }
}
