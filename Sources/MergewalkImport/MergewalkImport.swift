// One import for imports from Swift: pipelines, definitions, readers and objects.

@_exported public import MergewalkImporting
@_exported public import MergewalkObjects
@_exported public import MergewalkReaders
@_exported public import MergewalkPipelines
