// One import for models, stores, contexts and objects.

@_exported public import MergewalkDiagnostics
@_exported public import MergewalkObjectContext
@_exported public import MergewalkObjectModel
@_exported public import MergewalkObjectStore
