/// Changes that belong together: a step, or a part of one.
final class UndoGroup {
  var actions: [UndoAction] = []
  var name = ""

  /// Whether what undoes the group is a step also when it turns out to be empty.
  ///
  /// It is when the group changed a context, or is such an empty step itself: otherwise undo and redo would not lead back
  /// and forth over the same steps.
  var leavesStep: Bool {
    actions.isEmpty
      || actions.contains { action in
        switch action {
        case .changes(_, let client): client.context != nil
        case .group(let group): group.leavesStep
        case .handler: false
        }
      }
  }

  /// The changes of contexts, those of groups within the group included.
  private var allChanges: [(changes: UndoChanges, client: WeakContext)] {
    actions.flatMap { action -> [(changes: UndoChanges, client: WeakContext)] in
      switch action {
      case .changes(let changes, let client): [(changes, client)]
      case .group(let group): group.allChanges
      case .handler: []
      }
    }
  }

  /// Has contexts fetch what undoing the group needs to know.
  func prepare() throws(ObjectError) {
    for (changes, client) in allChanges { try client.context?.prepareUndo(changes) }
  }

  /// Has contexts clear what undoing the group has brought back in vain.
  func clearLostReferences() {
    for (changes, client) in allChanges { client.context?.clearLostReferences(of: changes) }
  }

  /// Forgets the actions of a target.
  func remove(_ target: ObjectIdentifier) {
    actions.removeAll { action in
      switch action {
      case .changes(_, let client): return client.identifier == target
      case .handler(let identifier, _): return identifier == target
      case .group(let group):
        group.remove(target)
        return group.actions.isEmpty
      }
    }
  }

  /// Calls `body` with all changes of a context.
  func forEachChanges(of context: ManagedObjectContext, _ body: (UndoChanges) -> Void) {
    for (changes, client) in allChanges where client.context === context { body(changes) }
  }
}

/// One thing to do when a step is undone.
enum UndoAction {
  /// Set back what an event changed in a context.
  case changes(UndoChanges, WeakContext)
  /// Call registered code, for a target.
  case handler(ObjectIdentifier, () -> Void)
  /// Undo a group within the group.
  case group(UndoGroup)
}

/// A context that is not kept alive.
struct WeakContext {
  private(set) weak var context: ManagedObjectContext?
  /// Tells contexts apart also when they are going away.
  let identifier: ObjectIdentifier

  init(_ context: ManagedObjectContext) {
    self.context = context
    identifier = ObjectIdentifier(context)
  }
}
