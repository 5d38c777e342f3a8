import MergewalkObjectModel
public import MergewalkObjectStore

extension PersistentStoreCoordinator {
  /// Registers a transformer under the name used by the model's transformable attributes, for all contexts on the
  /// coordinator.
  ///
  /// Register transformers before values are read; a later one replaces an earlier one with the same name.
  ///
  /// - Throws: ``ObjectError`` with `transformer` when an attribute of the model names it and it does not allow
  ///   reverse.
  public func registerTransformer(_ transformer: any ValueTransformer, forName name: String) throws(ObjectError) {
    try ValueTransformerRegistry.shared(list).register(transformer, forName: name, model: model)
  }

  /// Registers a transformer that works like the default one: forward from bytes to values.
  public func registerTransformer(_ transformer: any UnarchivingTransformer, forName name: String) {
    ValueTransformerRegistry.shared(list).register(transformer, forName: name)
  }

  /// Replaces the transformer of attributes that name none; the initial one is ``PlainArchiver``.
  public func setDefaultTransformer(_ transformer: any UnarchivingTransformer) {
    ValueTransformerRegistry.shared(list).standard = transformer
  }

  /// The names of transformers that the model uses but that are not registered, sorted.
  public var unregisteredTransformers: [String] {
    let registry = ValueTransformerRegistry.shared(list)
    let attributes = model.entities.flatMap(\.attributes).filter {
      $0.type == .transformable && registry.entry($0) == nil
    }
    return Set(attributes.compactMap(\.valueTransformerName)).sorted()
  }
}

extension ManagedObjectContext {
  /// Registers a transformer; contexts of a coordinator share its transformers.
  ///
  /// See ``MergewalkObjectStore/PersistentStoreCoordinator/registerTransformer(_:forName:)-(ValueTransformer,_)``.
  ///
  /// - Throws: ``ObjectError`` with `transformer` when an attribute of the model names it and it does not allow
  ///   reverse.
  public func registerTransformer(_ transformer: any ValueTransformer, forName name: String) throws(ObjectError) {
    try ValueTransformerRegistry.shared(storeList).register(transformer, forName: name, model: model)
  }

  /// Registers a transformer that works like the default one: forward from bytes to values.
  public func registerTransformer(_ transformer: any UnarchivingTransformer, forName name: String) {
    ValueTransformerRegistry.shared(storeList).register(transformer, forName: name)
  }

  /// Replaces the transformer of attributes that name none; the initial one is ``PlainArchiver``.
  public func setDefaultTransformer(_ transformer: any UnarchivingTransformer) {
    ValueTransformerRegistry.shared(storeList).standard = transformer
  }

  /// The bytes for a value of a transformable attribute.
  func encode(
    _ value: Any, _ attribute: AttributeDescription, _ entity: EntityDescription
  ) throws(ObjectError) -> [UInt8] {
    try transform(attribute, entity, "cannot be set to a value of the type \(type(of: value))") {
      switch $0 {
      case .forward(let transformer): try transformer.transformedValue(value)
      case .unarchiving(let transformer): try transformer.reverseTransformedValue(value)
      }
    }
  }

  /// The value of a transformable attribute that bytes stand for.
  func decode(
    _ bytes: [UInt8], _ attribute: AttributeDescription, _ entity: EntityDescription
  ) throws(ObjectError) -> Any {
    try transform(attribute, entity, "has \(bytes.count) bytes that cannot be read") {
      switch $0 {
      case .forward(let transformer): try transformer.reverseTransformedValue(bytes)
      case .unarchiving(let transformer): try transformer.transformedValue(bytes)
      }
    }
  }

  private func transform<Result>(
    _ attribute: AttributeDescription, _ entity: EntityDescription, _ failure: @autoclosure () -> String,
    _ body: (ValueTransformerRegistry.Entry) throws -> Result
  ) throws(ObjectError) -> Result {
    var name: String { "\(entity.name).\(attribute.name)" }
    guard let entry = ValueTransformerRegistry.shared(storeList).entry(attribute) else {
      throw ObjectError(
        .transformer,
        "\(name) has the transformer \(attribute.valueTransformerName ?? ""), which is not registered; call "
          + "registerTransformer(_:forName:) first")
    }
    do { return try body(entry) } catch let error as ObjectError { throw error } catch {
      let transformer = attribute.valueTransformerName.map { "transformer \($0)" } ?? "default transformer"
      throw ObjectError(.transformer, "\(name) \(failure()): \(transformer): \(error)")
    }
  }
}
