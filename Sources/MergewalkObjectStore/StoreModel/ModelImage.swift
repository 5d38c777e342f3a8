import MergewalkObjectModel
import MergewalkPropertyLists
import Synchronization

/// The copy of the model in a store: made once for many stores of one model.
struct ModelImage: Sendable {
  /// The value of ``ModelCopy/key`` in the metadata.
  let copy: PropertyList
  /// The contents of `Z_MODELCACHE`; `nil` when there is nothing to write.
  let cache: [UInt8]?

  private init(_ model: ManagedObjectModel) throws(StoreError) {
    copy = try ModelCopy.value(model)
    cache = try ModelCache.bytes(of: model)
  }

  private struct Last {
    weak var model: ManagedObjectModel?
    var image: ModelImage
  }

  private static let last = Mutex<Last?>(nil)

  /// The image of a model; that of the last one is remembered as long as the model is there.
  static func of(_ model: ManagedObjectModel) throws(StoreError) -> ModelImage {
    if let image = last.withLock({ $0?.model === model ? $0?.image : nil }) { return image }
    let image = try ModelImage(model)
    last.withLock { $0 = Last(model: model, image: image) }
    return image
  }
}
