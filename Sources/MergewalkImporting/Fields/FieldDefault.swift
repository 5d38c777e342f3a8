extension FieldSpec {
  /// The meaning of leaving the field out, read as the file's own text would be; `nil` when only words describe it,
  /// because more than the field decides.
  ///
  /// Builders read it through ``ComponentValue``, so that a default is stated once, in the spec.
  package var defaultValue: FieldValue? {
    guard let text = defaultText else { return nil }
    switch kind {
    case .flag: return ["true": true, "false": false][text].map { .flag($0) }
    case .count(let least): return Quantity.digits(text).flatMap { $0 >= least ? .count($0) : nil }
    case .bytes: return Quantity.bytes(text).map { .count($0) }
    case .share: return Quantity.share(text).map { .share($0) }
    case .duration: return Durations.seconds(text).map { .share($0) }
    case .choice(let words): return words.contains(text) ? .text(text) : nil
    case .character: return CharacterName.resolve(text).map { .text($0) }
    case .delimiter: return CharacterName.delimiter(text).map { .text($0) }
    case .integer: return Int(text).map { .count($0) }
    case .zone: return ConversionOptions.zoneOffset(text).map { .count($0) }
    case .text, .content:
      // A text in quotes is one; others may be words about it.
      guard text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
      return .text(String(text.dropFirst().dropLast()))
    case .expression, .steps, .tree, .path, .texts, .choices, .pairs, .component, .components, .named, .names:
      return nil
    }
  }
}

extension ComponentValue {
  /// The field as the file says it, or its spec's default.
  ///
  /// - Precondition: the spec has the field, with a default that can be read.
  private func whole(_ name: String) -> FieldValue {
    if let field = fields[name] { return field.value }
    guard let value = spec.field(named: name)?.defaultValue else {
      preconditionFailure("“\(spec.name)” has no default for “\(name)” that can be read")
    }
    return value
  }

  package func flag(orDefault name: String) -> Bool {
    guard case .flag(let flag) = whole(name) else { preconditionFailure("“\(name)” is no flag") }
    return flag
  }

  package func count(orDefault name: String) -> Int {
    guard case .count(let count) = whole(name) else { preconditionFailure("“\(name)” is no number") }
    return count
  }

  /// A share or the seconds of a time, or its default.
  package func share(orDefault name: String) -> Double {
    guard case .share(let share) = whole(name) else { preconditionFailure("“\(name)” is no share") }
    return share
  }

  package func text(orDefault name: String) -> String {
    guard case .text(let text) = whole(name) else { preconditionFailure("“\(name)” is no text") }
    return text
  }

  /// The case of a string enumeration that a choice field names, or its default.
  package func choice<Choice: RawRepresentable>(orDefault name: String, as: Choice.Type) -> Choice
  where Choice.RawValue == String {
    guard let choice = Choice(rawValue: text(orDefault: name)) else {
      preconditionFailure("“\(name)” offers a word that \(Choice.self) has not")
    }
    return choice
  }
}
