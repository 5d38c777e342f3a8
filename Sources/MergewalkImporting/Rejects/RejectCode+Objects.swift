import MergewalkObjectContext

extension RejectCode {
  /// The code of a row that the model does not allow.
  init(_ code: ObjectFailureCode) {
    guard case .value(let value) = code else {
      preconditionFailure("an import counts no related objects and deletes nothing: \(code.name)")
    }
    self.init(value)
  }
}
