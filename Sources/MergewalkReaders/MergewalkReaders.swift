// One import for reading records of files.

@_exported public import Diagnostics
@_exported public import RecordFormats
