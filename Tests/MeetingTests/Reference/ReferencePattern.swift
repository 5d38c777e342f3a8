/// Patterns of values.
enum ReferencePattern {
  static let integer = SharedPattern(/[+-]?[0-9]+/)
  static let number = SharedPattern(/[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?/)
  static let uuid = SharedPattern(/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/)
  static let day = SharedPattern(/([0-9]{2})\.([0-9]{2})\.([0-9]{4})/)
  static let time = SharedPattern(
    /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})([.,][0-9]+)?)?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?/
  )
  static let scientific = SharedPattern(/([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,5}))?/)
  static let decimal = SharedPattern(/([+-]?)([0-9]*)(?:\.([0-9]*))?/)
  /// Whether JSON has the number so, and nothing is lost by any of the formats.
  static let json = SharedPattern(/-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,9})?/)
}
