public import MergewalkDiagnostics

/// Writes Swift classes for the entities of a model, as Xcode does.
///
/// Each class has two files: `Employee+CoreDataClass.swift`, which is yours once it exists, and
/// `Employee+CoreDataProperties.swift` with the modelled properties, typed fetch requests and accessors of to-many
/// relationships, which is rewritten whenever the model changes. The same model always gives the same text. Source:
/// Apple, [Generating code](https://developer.apple.com/documentation/coredata/modeling-data/generating-code).
public struct CodeGenerator: Sendable {
  /// The kind of code to generate.
  public struct Options: Sendable, Hashable {
    /// The base of the generated classes.
    public enum Style: String, Sendable, Hashable, CaseIterable {
      /// Subclasses of `ManagedObject`.
      case mergewalk
      /// Subclasses of `NSManagedObject`, for the app.
      case coredata
    }

    /// The base of the generated classes.
    public var style = Style.mergewalk
    /// The names of the entities to generate; empty for all that have a class.
    public var entityNames: [String] = []
    /// Whether to leave out the class files, whatever the model requests ("Category/Extension").
    public var propertiesOnly = false
    /// Whether to leave out entities without code generation ("Manual/None"), as Xcode's builds do.
    ///
    /// Entities in ``entityNames`` are never left out.
    public var skipsManual = false

    /// Creates options for both files of every class.
    public init() {}
  }

  /// The files, sorted by name.
  public let files: [GeneratedFile]
  /// Warnings about parts of the model that could not be generated as requested.
  public let findings: [Diagnostic]

  /// Generates the files of a model.
  ///
  /// - Throws: `unknownEntity`, `entityWithoutClass` for a named entity that is a plain managed object,
  ///   `invalidClassName`.
  /// - Complexity: O(text).
  public init(_ model: ManagedObjectModel, options: Options = Options()) throws(DiagnosticList) {
    var findings = FindingList(path: model.draft.path)
    let plan = ClassPlan(model)
    let chosen = Self.entities(of: model, plan, options, &findings)
    for index in chosen {
      let entity = model.entities[index]
      guard let name = plan.classNames[index], !SwiftNames.isIdentifier(name) else { continue }
      findings.error(
        "invalidClassName", entity.declaration.position,
        "“\(name)”, the class of “\(entity.name)”, cannot be the name of a Swift class",
        hint: "a name has letters, digits and underscores and does not begin with a digit")
    }
    Self.refuseHiddenModules(model, plan, options.style, &findings)
    if findings.diagnostics.contains(where: { $0.severity == .error }) { throw DiagnosticList(findings.diagnostics) }

    var files: [GeneratedFile] = []
    for index in chosen {
      guard let name = plan.classNames[index] else { continue }
      let entity = model.entities[index]
      if let owner = plan.owners[name], owner != index {
        findings.warning(
          "sharedClass", entity.declaration.position,
          "“\(entity.name)” shares the class “\(name)” with “\(model.entities[owner].name)”, which the files follow",
          hint: "its own properties are accessible by key")
        continue
      }
      if options.style == .coredata {
        files += Self.coreDataFiles(model, plan, entity, name, options, &findings)
        continue
      }
      if !options.propertiesOnly, entity.declaration.codeGenerationType != "category" {
        files.append(
          GeneratedFile(
            name: "\(name)+CoreDataClass.swift", kind: .classFile, entityName: entity.name,
            text: ClassFile.text(name, superclass: plan.superclasses[index], plan: plan)))
      }
      var writer = PropertiesFile(model: model, plan: plan, entity: entity, className: name, findings: findings)
      let text = writer.write()
      findings = writer.findings
      files.append(
        GeneratedFile(
          name: "\(name)+CoreDataProperties.swift", kind: .properties, entityName: entity.name, text: text))
    }
    self.files = files.sorted { CodePointOrder.precedes($0.name, $1.name) }
    self.findings = DiagnosticList(findings.diagnostics).diagnostics
  }

  /// Refuses classes with the name of a module when other classes have names of types in it: these need the module's name.
  private static func refuseHiddenModules(
    _ model: ManagedObjectModel, _ plan: ClassPlan, _ style: Options.Style, _ findings: inout FindingList
  ) {
    let modules = style == .coredata ? CoreDataFiles.typeNames : SwiftTypes.typeNames
    for (module, types) in modules.sorted(by: { $0.key < $1.key }) {
      guard let owner = plan.owners[module], let clash = types.first(where: { plan.owners[$0] != nil }) else {
        continue
      }
      findings.error(
        "invalidClassName", model.entities[owner].declaration.position,
        "“\(module)”, the class of “\(model.entities[owner].name)”, hides the module of \(clash), which is a class too",
        hint: "choose another name for one of the classes")
    }
  }

  /// The files of one class for an app.
  private static func coreDataFiles(
    _ model: ManagedObjectModel, _ plan: ClassPlan, _ entity: EntityDescription, _ name: String, _ options: Options,
    _ findings: inout FindingList
  ) -> [GeneratedFile] {
    let own = entity.declaration
    var properties: [(String, SourcePosition)] = own.attributes.map { ($0.name, $0.position) }
    properties += own.relationships.map { ($0.name, $0.position) }
    properties += own.fetchedProperties.map { ($0.name, $0.position) }
    for (property, position) in properties where BaseClassNames.objectMembers.contains(property) {
      findings.warning(
        "leftOutProperty", position,
        "“\(property)” is a property of NSObject or NSManagedObject, so the class of “\(entity.name)” has none; its value"
          + " is accessible by key", hint: "choose another name")
    }
    for attribute in own.attributes where attribute.type == .transformable || attribute.type == .undefined {
      guard let type = SwiftNames.valueClass(attribute.customClassName), !SwiftNames.mayBeType(type) else { continue }
      findings.warning(
        "invalidValueClass", attribute.position,
        "“\(type)”, the class of “\(attribute.name)”, is no type of Swift, so the property of “\(entity.name)” is an NSObject",
        hint: "name a class, or a type such as [String]")
    }
    let writer = CoreDataFiles(entity: entity, plan: plan, className: name) { entityName in
      var index = model.entity(named: entityName)?.index
      while let current = index {
        if let name = plan.classNames[current] { return SwiftNames.escaped(name) }
        index = model.entities[current].superentityIndex
      }
      return "NSManagedObject"
    }
    var files = [
      GeneratedFile(
        name: "\(name)+CoreDataProperties.swift", kind: .properties, entityName: entity.name,
        text: writer.propertiesFile())
    ]
    if !options.propertiesOnly, entity.declaration.codeGenerationType != "category" {
      files.append(
        GeneratedFile(
          name: "\(name)+CoreDataClass.swift", kind: .classFile, entityName: entity.name,
          text: writer.classFile(superclass: plan.superclasses[entity.index])))
    }
    return files
  }

  /// The indexes of the entities that files are made of.
  private static func entities(
    of model: ManagedObjectModel, _ plan: ClassPlan, _ options: Options, _ findings: inout FindingList
  ) -> [Int] {
    guard options.entityNames.isEmpty else {
      var chosen: Set<Int> = []
      for name in options.entityNames {
        guard let entity = model.entity(named: name) else {
          findings.error(
            "unknownEntity", .file, "the model has no entity “\(name)”",
            hint: FindingList.didYouMean(name, model.entities.map(\.name)))
          continue
        }
        if plan.classNames[entity.index] == nil {
          findings.error(
            "entityWithoutClass", entity.declaration.position, "“\(name)” has no class of its own",
            hint: "its objects are plain managed objects; name a class in the model")
        } else {
          chosen.insert(entity.index)
        }
      }
      return chosen.sorted()
    }
    return model.entities.indices.filter { index in
      guard plan.classNames[index] != nil else { return false }
      let type = model.entities[index].declaration.codeGenerationType
      return !(options.skipsManual && type != "class" && type != "category")
    }
  }
}
