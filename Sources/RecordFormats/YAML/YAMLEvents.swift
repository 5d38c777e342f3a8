import CLibYAML
import Diagnostics

/// libyaml's parser, which pulls its text from a ``YAMLText``.
final class YAMLEvents {
  let text: YAMLText
  /// The event that was read last; its memory is libyaml's until the next one is read.
  let event: UnsafeMutablePointer<yaml_event_t>
  // libyaml keeps the address, so the parser lives outside Swift's values.
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  init(_ text: YAMLText) {
    self.text = text
    parser = .allocate(capacity: 1)
    event = .allocate(capacity: 1)
    event.initialize(to: yaml_event_t())
    guard yaml_parser_initialize(parser) == 1 else { preconditionFailure("no memory for a YAML parser") }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input(
      parser,
      { data, buffer, size, count in
        guard let data, let buffer, let count else { return 0 }
        let text = Unmanaged<YAMLText>.fromOpaque(data).takeUnretainedValue()
        guard let supplied = text.supply(UnsafeMutableRawBufferPointer(start: buffer, count: size)) else { return 0 }
        count.pointee = supplied
        return 1
      }, Unmanaged.passUnretained(text).toOpaque())
  }

  deinit {
    yaml_event_delete(event)
    yaml_parser_delete(parser)
    event.deallocate()
    parser.deallocate()
  }

  /// Reads the next event.
  ///
  /// - Throws: what reading throws; `invalidDocument` for what libyaml refuses.
  @inline(__always)
  func next() throws(ReadError) {
    yaml_event_delete(event)
    if yaml_parser_parse(parser, event) != 1 { throw failure() }
  }

  private func failure() -> ReadError {
    if let failure = text.failure { return failure }
    let state = parser.pointee
    if state.error == YAML_MEMORY_ERROR { preconditionFailure("no memory while parsing YAML") }
    var message = state.problem.map { String(cString: $0) } ?? "the text is not YAML"
    if let context = state.context { message = String(cString: context) + ": " + message }
    let offset = text.offset(ofCodePoint: state.problem_mark.index)
    let place = text.window.holds(offset) ? offset : text.progress.pointee.lastEvent
    return ReadError(
      .invalidDocument, path: text.window.path, position: text.window.position(of: place), message: message)
  }
}
