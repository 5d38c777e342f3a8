/// Undoes and redoes changes step by step.
///
/// A context that has one (``ManagedObjectContext/undoManager``) registers its changes at the end of each event. There
/// is no run loop, so the program ends an event: at ``ManagedObjectContext/processPendingChanges()``, which saving also
/// calls, where an explicit group begins or ends, and before undoing and redoing. Other code can register actions of
/// its own in the same steps.
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

  /// Whether actions registered outside of a group form one, up to the end of the event; `true` by default.
  ///
  /// If not, each action registered outside of a group forms a group of its own.
  public var groupsByEvent = true

  /// The number of open groups, including that of the event.
  public var groupingLevel: Int { openGroups.count }

  /// Begins a group: everything registered until its end is one step, or a part of the group that is already open.
  ///
  /// Earlier changes belong to the previous step.
  public func beginUndoGrouping() {
    checkpoint()
    openGroups.append(UndoGroup())
  }

  /// Ends the group that was begun last.
  ///
  /// An empty group leaves no step. Does nothing if no group was begun.
  public func endUndoGrouping() {
    guard !openGroups.isEmpty, !isEventGroupOpen else { return }
    flush()
    closeGroup()
  }

  private func closeGroup(keepsEmpty: Bool = false) {
    // A handler that ends groups which it did not begin leaves none.
    guard let group = openGroups.popLast(), keepsEmpty || !group.actions.isEmpty else { return }
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

  /// Registers `handler` to be called with `target` on undo; the manager does not keep `target` alive, and calls
  /// nothing when it is released.
  ///
  /// Redoing calls what `handler` registers. A handler may change objects of contexts; these changes are recorded
  /// anyway.
  public func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
    guard isUndoRegistrationEnabled else { return }
    register(
      .handler(
        ObjectIdentifier(target),
        { [weak target] in
          if let target { handler(target) }
        }))
  }

  func register(_ changes: UndoChanges, of context: ManagedObjectContext) {
    guard isUndoRegistrationEnabled else { return }
    register(.changes(changes, WeakContext(context)))
  }

  private func register(_ action: UndoAction) {
    let isOutside = openGroups.isEmpty
    if isOutside {
      isEventGroupOpen = groupsByEvent
      openGroups.append(UndoGroup())
    }
    if !isUndoing && !isRedoing { redoStack.removeAll() }
    openGroups.last?.actions.append(action)
    if isOutside, !groupsByEvent { closeGroup() }
  }

  /// Adds to the step that was registered last what a save changed on the way; without a step there is nothing before it
  /// to go back to.
  func join(_ changes: UndoChanges, of context: ManagedObjectContext) {
    guard isUndoRegistrationEnabled, let group = openGroups.last ?? undoStack.last else { return }
    group.actions.append(.changes(changes, WeakContext(context)))
  }

  /// Whether changes are recorded; see ``disableUndoRegistration()``.
  public var isUndoRegistrationEnabled: Bool { disableCount == 0 }

  /// Stops recording changes until ``enableUndoRegistration()`` has been called as often as this.
  public func disableUndoRegistration() {
    checkpoint()
    disableCount += 1
  }

  /// Resumes recording; does nothing if changes are recorded, as after ``removeAllActions()``.
  public func enableUndoRegistration() {
    guard disableCount > 0 else { return }
    checkpoint()
    disableCount -= 1
  }

  // MARK: Undoing

  /// Whether there is a step to undo, including changes of the current event.
  public var canUndo: Bool { !undoStack.isEmpty || openGroups.contains { !$0.actions.isEmpty } || hasPendingChanges }
  /// Whether there is a step to redo: nothing has changed since it was undone.
  public var canRedo: Bool { !redoStack.isEmpty && !hasPendingChanges }
  /// The number of steps that can be undone, without changes of the current event.
  public var undoCount: Int { undoStack.count }
  /// The number of steps that can be redone.
  public var redoCount: Int { redoStack.count }
  /// Whether a step is being undone.
  public private(set) var isUndoing = false
  /// Whether a step is being redone.
  public private(set) var isRedoing = false

  private var hasPendingChanges: Bool { clients.contains { $0.context?.hasUnregisteredChanges ?? false } }

  /// Undoes the last step; does nothing if there is none.
  ///
  /// Ends the event first, and without ``groupsByEvent`` also the group that is open, when there is only one.
  ///
  /// - Throws: ``ObjectError`` with `invalidRequest` when another group was begun and not ended, in which case nothing has
  ///   changed; with `closed` or `database` when required values cannot be fetched. The step is then kept and nothing
  ///   has changed, unless the group has handlers; roll back in that case.
  public func undo() throws(ObjectError) {
    try step(\.undoStack, isUndo: true)
  }

  /// Redoes the step that was undone last; does nothing if there is none.
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
    if isUndo, !groupsByEvent, openGroups.count == 1 { closeGroup() }
    guard openGroups.isEmpty else {
      throw ObjectError(.invalidRequest, "undo() or redo() in a group that was not ended; see undoNestedGroup()")
    }
    guard let group = self[keyPath: stack].popLast() else { return }
    do { try perform(group, isUndo: isUndo) } catch {
      self[keyPath: stack].append(group)
      throw error
    }
    group.clearLostReferences()
  }

  /// Undoes the most recently closed group within the open one; without an open group, the last step.
  ///
  /// Does nothing if the open group does not end with another group.
  ///
  /// - Throws: As ``undo()``.
  public func undoNestedGroup() throws(ObjectError) {
    flush()
    guard !isEventGroupOpen, let outer = openGroups.last else { return try undo() }
    guard case .group(let group)? = outer.actions.last else { return }
    outer.actions.removeLast()
    let open = openGroups
    do {
      // What redoes the group is a step of its own.
      openGroups = []
      defer { openGroups = open }
      try perform(group, isUndo: true)
    } catch {
      outer.actions.append(.group(group))
      throw error
    }
    group.clearLostReferences()
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
    closeGroup(keepsEmpty: group.leavesStep)
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

  /// The maximum number of steps to keep; 0, which is the default, or less for all; the oldest are removed first.
  public var levelsOfUndo = 0 {
    didSet { dropOldest() }
  }

  private func dropOldest() {
    guard levelsOfUndo > 0 else { return }
    if undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
    if redoStack.count > levelsOfUndo { redoStack.removeFirst(redoStack.count - levelsOfUndo) }
  }

  /// Removes all steps and the references they hold, including unregistered changes, and enables registration.
  public func removeAllActions() {
    for client in clients { client.context?.recorder?.forgetAll() }
    for group in openGroups { group.actions.removeAll() }
    disableCount = 0
    undoStack = []
    redoStack = []
    for client in clients { client.context?.undoWasForgotten() }
  }

  /// Removes the actions of one target: of an object for which handlers were registered, or of a context.
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

  /// Names the open step, or else the last one, for example "Move Desk".
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
  /// The name of the step that ``redo()`` redoes.
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
