// One import for imports from Swift: pipelines, definitions, readers and objects.

@_exported public import MergewalkImporting
@_exported public import MergewalkObjects
@_exported public import MergewalkReaders
@_exported public import MergewalkPipelines

/// An object that an import changed; the object layer's change of an observed property is `MergewalkObjectContext.ObjectChange`.
public typealias ObjectChange = MergewalkImporting.ObjectChange
