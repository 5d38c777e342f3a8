public import Diagnostics
public import ObjectModel
import ObjectStore

/// What is wrong with a ``SyncPolicy``, held against the model.
public struct SyncCheck {
  /// One thing that is wrong.
  public struct Problem: Sendable {
    /// The stable code.
    public var code: String
    /// The option of the policy: `where`, `soft_delete` or `delete`.
    public var option: String
    /// Where it stands.
    public var position: SourcePosition
    /// What was expected and what was found.
    public var message: String
    /// What to do about it, or `nil`.
    public var hint: String?
    /// For a scope, the place in its text.
    public var place = SourcePosition.file
  }

  /// What is wrong.
  public private(set) var problems: [Problem] = []
  /// The attribute that says that an object is gone, when it can.
  private(set) var softDelete: SoftDelete?

  /// Checks the policy of one import.
  public init(part: EntityImport, entity: EntityDescription, model: ManagedObjectModel) {
    checkSoftDelete(part, entity)
    checkScope(part.sync, entity, model)
  }

  private mutating func checkSoftDelete(_ part: EntityImport, _ entity: EntityDescription) {
    let policy = part.sync
    guard let name = policy.softDelete else {
      if policy.deletion == .mark {
        add(
          "missingField", "delete", part.position, "marking objects as gone needs an attribute for that",
          "name it as soft_delete")
      }
      return
    }
    let position = policy.softDeletePosition
    guard let attribute = entity.attribute(named: name) else {
      let nearest = NearestName.find(name, in: entity.attributes.map(\.name))
      let message = "\(entity.name) has no attribute \(name)"
      return add("unknownAttribute", "soft_delete", position, message, nearest.map { "did you mean \($0)?" })
    }
    if (part.findBy + part.attributes).contains(where: { $0.attributeName == name }) {
      return add(
        "mappedTwice", "soft_delete", position, "\(name) says whether an object is gone, so no column can fill it",
        "take it out of the attributes")
    }
    softDelete = SoftDelete(attribute)
    if softDelete == nil {
      add(
        "unsuitableAttribute", "soft_delete", position,
        "\(entity.name).\(name) cannot say that an object is gone: that takes a stored Boolean, or an optional Date",
        nil)
    }
  }

  private mutating func checkScope(_ policy: SyncPolicy, _ entity: EntityDescription, _ model: ManagedObjectModel) {
    guard let scope = policy.scope else { return }
    let schema = StoreSchema(model: model)
    var request = FetchRequest(entity.name, where: scope)
    request.includesSubentities = false
    do throws(PredicateError) {
      _ = try FetchCompiler(schema: schema, storeUUID: "").compile(
        request, selecting: .primaryKeys(withSortKeys: false))
    } catch {
      var problem = Problem(
        code: "invalidScope", option: "where", position: policy.scopePosition, message: error.message, hint: error.hint)
      problem.place = error.position
      problems.append(problem)
    }
  }

  private mutating func add(
    _ code: String, _ option: String, _ position: SourcePosition, _ message: String, _ hint: String?
  ) {
    problems.append(Problem(code: code, option: option, position: position, message: message, hint: hint))
  }
}
