// One import for reading records of files.

@_exported public import MergewalkDiagnostics
@_exported public import MergewalkRecordFormats
