/// Takes changes back, and makes them again, step by step.
///
/// A context that has one (``ManagedObjectContext/undoManager``) registers what changed in it at the end of each event.
/// As there is no run loop, an event ends when the program says so: at
/// ``ManagedObjectContext/processPendingChanges()``, which saving calls too, where an explicit group begins or ends,
/// and before undoing and redoing. Other code can register actions of its own in the same steps.
///
/// The manager holds the objects that its steps change. It does not hold contexts, and several may share it.
public final class UndoManager {
  private var undoStack: [UndoGroup] = []
  private var redoStack: [UndoGroup] = []
  /// The groups that are open, the innermost last.
  private var openGroups: [UndoGroup] = []
  /// Whether the outermost open group was opened by the first action of an event and not by a call.
  private var isEventGroupOpen = false
  private var disableCount = 0
  private var clients: [WeakContext] = []

  /// Creates a manager without steps.
  public init() {}

  // MARK: Groups

  /// Whether actions that are registered outside of a group make one, up to the end of the event; `true` by default.
  ///
  /// If not, what contexts and others register outside of a group makes a group of its own.
  public var groupsByEvent = true

  /// How many groups are open, that of the event included.
  public var groupingLevel: Int { openGroups.count }

  /// Begins a group: what is registered until its end is one step, or one part of the group that is open already.
  ///
  /// What changed before belongs to the step before.
  public func beginUndoGrouping() {
    checkpoint()
    openGroups.append(UndoGroup())
  }

  /// Ends the group that was begun last.
  ///
  /// A group in which nothing was registered leaves no step. Does nothing without a group that was begun.
  public func endUndoGrouping() {
    guard !openGroups.isEmpty, !isEventGroupOpen else { return }
    flush()
    closeGroup()
  }

  private func closeGroup() {
    // A handler that ends groups which it did not begin leaves none.
    guard let group = openGroups.popLast(), !group.actions.isEmpty else { return }
    if let outer = openGroups.last {
      outer.actions.append(.group(group))
    } else if isUndoing {
      redoStack.append(group)
    } else {
      undoStack.append(group)
      dropOldest()
    }
  }

  /// Ends the event: what contexts and others register next is another step.
  func checkpoint() {
    flush()
    guard isEventGroupOpen else { return }
    isEventGroupOpen = false
    closeGroup()
  }

  /// Has the contexts register what changed in them.
  private func flush() {
    clients.removeAll { $0.context == nil }
    for client in clients { client.context?.registerChanges() }
  }

  // MARK: Registering

  /// Has undoing call `handler` with `target`, which the manager does not keep alive; nothing is called when it is
  /// gone.
  ///
  /// What `handler` registers is what redoing calls. A handler may change objects of contexts; that is recorded anyway.
  public func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
    guard isUndoRegistrationEnabled else { return }
    register(
      .handler(
        ObjectIdentifier(target),
        { [weak target] in
          if let target { handler(target) }
        }))
  }

  /// Registers what an event changed in a context.
  func register(_ changes: UndoChanges, of context: ManagedObjectContext) {
    guard isUndoRegistrationEnabled else { return }
    register(.changes(changes, WeakContext(context)))
  }

  private func register(_ action: UndoAction) {
    if openGroups.isEmpty {
      isEventGroupOpen = true
      openGroups.append(UndoGroup())
    }
    if !isUndoing && !isRedoing { redoStack.removeAll() }
    openGroups.last?.actions.append(action)
  }

  /// Adds to the step that was registered last what a save changed on the way.
  func join(_ changes: UndoChanges, of context: ManagedObjectContext) {
    guard isUndoRegistrationEnabled else { return }
    let action = UndoAction.changes(changes, WeakContext(context))
    if let group = openGroups.last ?? undoStack.last {
      group.actions.append(action)
    } else {
      register(action)
    }
  }

  /// Whether changes are recorded; see ``disableUndoRegistration()``.
  public var isUndoRegistrationEnabled: Bool { disableCount == 0 }

  /// Has changes forgotten that are made from now on, until ``enableUndoRegistration()`` is called as often as this.
  public func disableUndoRegistration() {
    checkpoint()
    disableCount += 1
  }

  /// Has changes recorded again; does nothing where they are, as after ``removeAllActions()``.
  public func enableUndoRegistration() {
    guard disableCount > 0 else { return }
    checkpoint()
    disableCount -= 1
  }

  // MARK: Undoing

  /// Whether there is a step to undo, what was changed in this event included.
  public var canUndo: Bool { !undoStack.isEmpty || openGroups.contains { !$0.actions.isEmpty } || hasPendingChanges }
  /// Whether there is a step to redo: nothing was changed since it was undone.
  public var canRedo: Bool { !redoStack.isEmpty && !hasPendingChanges }
  /// How many steps can be undone, without what was changed in this event.
  public var undoCount: Int { undoStack.count }
  /// How many steps can be redone.
  public var redoCount: Int { redoStack.count }
  /// Whether a step is being undone.
  public private(set) var isUndoing = false
  /// Whether a step is being redone.
  public private(set) var isRedoing = false

  private var hasPendingChanges: Bool { clients.contains { $0.context?.hasUnregisteredChanges ?? false } }

  /// Takes the last step back; does nothing when there is none.
  ///
  /// Ends the event first.
  ///
  /// - Throws: ``ObjectError`` with `invalidRequest` when a group is open that was begun and not ended, and nothing
  ///   changed; with `closed` or `database` when values that are needed cannot be fetched. The step is still there then
  ///   and nothing has changed, unless the group has handlers; roll back in that case.
  public func undo() throws(ObjectError) {
    try step(\.undoStack, isUndo: true)
  }

  /// Makes the step again that was undone last; does nothing when there is none.
  ///
  /// Ends the event first.
  ///
  /// - Throws: As ``undo()``.
  public func redo() throws(ObjectError) {
    try step(\.redoStack, isUndo: false)
  }

  private func step(
    _ stack: ReferenceWritableKeyPath<UndoManager, [UndoGroup]>, isUndo: Bool
  ) throws(ObjectError) {
    for client in clients { try client.context?.processPendingChanges() }
    checkpoint()
    guard openGroups.isEmpty else {
      throw ObjectError(.invalidRequest, "undo() or redo() in a group that was not ended; see undoNestedGroup()")
    }
    guard let group = self[keyPath: stack].popLast() else { return }
    do { try perform(group, isUndo: isUndo) } catch {
      self[keyPath: stack].append(group)
      throw error
    }
  }

  /// Takes the last group back that has ended, within the group that is open; without an open one the last step.
  ///
  /// Does nothing when the open group has no other group at its end.
  ///
  /// - Throws: As ``undo()``.
  public func undoNestedGroup() throws(ObjectError) {
    flush()
    guard !isEventGroupOpen, let outer = openGroups.last else { return try undo() }
    guard case .group(let group)? = outer.actions.last else { return }
    outer.actions.removeLast()
    let open = openGroups
    // What redoes the group is a step of its own.
    openGroups = []
    defer { openGroups = open }
    do { try perform(group, isUndo: true) } catch {
      outer.actions.append(.group(group))
      throw error
    }
  }

  private func perform(_ group: UndoGroup, isUndo: Bool) throws(ObjectError) {
    try group.prepare()
    let inverse = UndoGroup()
    inverse.name = group.name
    openGroups.append(inverse)
    (isUndoing, isRedoing) = (isUndo, !isUndo)
    defer { (isUndoing, isRedoing) = (false, false) }
    do {
      try run(group)
    } catch {
      _ = openGroups.popLast()
      throw error
    }
    closeGroup()
  }

  /// Runs the actions of a group, the last one first.
  private func run(_ group: UndoGroup) throws(ObjectError) {
    for action in group.actions.reversed() {
      switch action {
      case .group(let inner): try run(inner)
      case .handler(_, let run): run()
      case .changes(let changes, let client): try client.context?.undo(changes)
      }
      flush()
    }
  }

  // MARK: Forgetting

  /// How many steps are kept at most, 0, which is the default, or less for all; the oldest go first.
  public var levelsOfUndo = 0 {
    didSet { dropOldest() }
  }

  private func dropOldest() {
    guard levelsOfUndo > 0 else { return }
    if undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
    if redoStack.count > levelsOfUndo { redoStack.removeFirst(redoStack.count - levelsOfUndo) }
  }

  /// Forgets all steps and what they hold, also what was changed and not registered yet, and enables registration.
  public func removeAllActions() {
    for client in clients { client.context?.recorder?.forgetAll() }
    for group in openGroups { group.actions.removeAll() }
    disableCount = 0
    undoStack = []
    redoStack = []
    for client in clients { client.context?.undoWasForgotten() }
  }

  /// Forgets the actions of one target: of an object for which handlers were registered, or of a context.
  public func removeAllActions(withTarget target: AnyObject) {
    (target as? ManagedObjectContext)?.recorder?.discard()
    removeActions(ObjectIdentifier(target))
  }

  func removeActions(_ target: ObjectIdentifier) {
    for group in undoStack + redoStack + openGroups { group.remove(target) }
    undoStack.removeAll(where: \.actions.isEmpty)
    redoStack.removeAll(where: \.actions.isEmpty)
  }

  // MARK: Names

  /// Says what the step that is open, or else the last one, does: "Move Desk".
  public func setActionName(_ name: String) {
    (openGroups.first ?? undoStack.last)?.name = name
    if openGroups.isEmpty, hasPendingChanges {
      // What is being changed is the step.
      flush()
      (openGroups.first ?? undoStack.last)?.name = name
    }
  }

  /// The name of the step that ``undo()`` undoes, set by ``setActionName(_:)``; empty when it has none.
  public var undoActionName: String { (openGroups.first ?? undoStack.last)?.name ?? "" }
  /// The name of the step that ``redo()`` makes again.
  public var redoActionName: String { redoStack.last?.name ?? "" }
  /// "Undo" and the name of the action.
  public var undoMenuItemTitle: String { undoActionName.isEmpty ? "Undo" : "Undo \(undoActionName)" }
  /// "Redo" and the name of the action.
  public var redoMenuItemTitle: String { redoActionName.isEmpty ? "Redo" : "Redo \(redoActionName)" }

  // MARK: Contexts

  func add(_ context: ManagedObjectContext) { clients.append(WeakContext(context)) }

  func remove(_ context: ManagedObjectContext) {
    clients.removeAll { $0.context === context || $0.context == nil }
    removeActions(ObjectIdentifier(context))
  }

  /// Calls `body` with all changes of a context that are kept.
  func forEachChanges(of context: ManagedObjectContext, _ body: (UndoChanges) -> Void) {
    for group in undoStack + redoStack + openGroups { group.forEachChanges(of: context, body) }
  }
}

@available(*, unavailable, message: "an undo manager is confined to the task of its contexts")
extension UndoManager: Sendable {}
