// One import for models, stores, contexts and objects.

@_exported public import Diagnostics
@_exported public import ObjectContext
@_exported public import ObjectModel
@_exported public import ObjectStore
