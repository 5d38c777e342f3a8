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
    do {
      switch try transformer(attribute, entity) {
      case .forward(let transformer): return try transformer.transformedValue(value)
      case .unarchiving(let transformer): return try transformer.reverseTransformedValue(value)
      }
    } catch let error as ObjectError {
      throw error
    } catch {
      throw failure("cannot be set to \(Self.brief(value))", error, attribute, entity)
    }
  }

  /// The value of a transformable attribute that bytes stand for.
  func decode(
    _ bytes: [UInt8], _ attribute: AttributeDescription, _ entity: EntityDescription
  ) throws(ObjectError) -> Any {
    do {
      switch try transformer(attribute, entity) {
      case .forward(let transformer): return try transformer.reverseTransformedValue(bytes)
      case .unarchiving(let transformer): return try transformer.transformedValue(bytes)
      }
    } catch let error as ObjectError {
      throw error
    } catch {
      throw failure("has \(bytes.count) bytes that cannot be read", error, attribute, entity)
    }
  }

  private func transformer(
    _ attribute: AttributeDescription, _ entity: EntityDescription
  ) throws(ObjectError) -> ValueTransformerRegistry.Entry {
    if let entry = ValueTransformerRegistry.shared(storeList).entry(attribute) { return entry }
    throw ObjectError(
      .transformer,
      "\(entity.name).\(attribute.name) has the transformer \(attribute.valueTransformerName ?? ""), which is not "
        + "registered; call registerTransformer(_:forName:) first")
  }

  private func failure(
    _ what: String, _ error: any Error, _ attribute: AttributeDescription, _ entity: EntityDescription
  ) -> ObjectError {
    let name = attribute.valueTransformerName.map { "transformer \($0)" } ?? "default transformer"
    return ObjectError(.transformer, "\(entity.name).\(attribute.name) \(what): \(name): \(error)")
  }

  private static func brief(_ value: Any) -> String { "a value of the type \(type(of: value))" }
}
