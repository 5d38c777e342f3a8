import MergewalkObjectModel

extension ManagedObject {
  /// Has the undo manager know what a transient attribute was, if there is one: primitive access is no change.
  final func recordTransient(_ key: String) {
    guard let recorder = link.context?.recorder, isValid, !isDeleted, !isFault,
      let attribute = entity.attribute(named: key), attribute.isTransient
    else { return }
    recorder.willChangeTransient(self, slot: attribute.slot)
  }
}
