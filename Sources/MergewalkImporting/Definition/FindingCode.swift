public import MergewalkDiagnostics

/// The kinds of findings about a definition, from a pipeline file or Swift code: a closed list that tests and users
/// match.
///
/// Findings about YAML itself (`yamlSyntax`, `duplicateKey` ...) and about models have the codes of their own modules.
public enum FindingCode: String, Sendable, CaseIterable {
  /// A mapping has a field that its component does not have.
  case unknownField
  /// A required field is missing.
  case missingField
  /// A field holds a value of the wrong kind.
  case wrongType
  /// A field's value is not one of those allowed.
  case invalidOption
  /// `${NAME}` names a variable that is neither set nor in the environment.
  case missingVariable
  /// `${...}` is not closed or is not the name of a variable.
  case invalidVariable
  /// A secret cannot be redacted, or its file is not text.
  case invalidSecret
  /// Includes form a cycle, are too deep, or too many.
  case invalidInclude
  /// A variable was set that the file does not use.
  case unusedVariable
  /// A file does not exist or cannot be read.
  case unreadableFile
  /// A glob matches nothing.
  case noMatchingFile
  /// A file is named twice.
  case repeatedFile
  /// Another pipeline that is checked with this one has its name, its store and a cursor.
  case cursorOfAnother
  /// A file, or a member of an archive, is empty, and is skipped.
  case emptyFile
  /// A file's name suggests another compression than its content.
  case misnamedFile
  /// The detected dialect of a file is not the only plausible one.
  case uncertainDialect
  /// An output file is also an input, or would replace something else.
  case unsafeOutput
  /// A manifest is malformed, or a file does not match it.
  case invalidManifest
  /// An archive has no such member, or several and none is selected.
  case unknownMember
  /// The model has no such entity.
  case unknownEntity
  /// The entity has no objects of its own, or does not fit the relationship.
  case unsuitableEntity
  /// The entity has no such attribute.
  case unknownAttribute
  /// The entity has no such relationship.
  case unknownRelationship
  /// `after` names an unknown import.
  case unknownImport
  /// An import needs objects of one that runs after it.
  case cyclicImports
  /// An attribute is given as a relationship, or a relationship as an attribute.
  case wrongKind
  /// A record cannot fill this relationship.
  case unsuitableRelationship
  /// A record cannot fill this attribute.
  case unsuitableAttribute
  /// An object cannot be found by this attribute.
  case unsuitableKey
  /// Objects are found by attributes that no index and no uniqueness constraint covers.
  case unindexedKey
  /// An attribute is filled twice.
  case mappedTwice
  /// A mandatory attribute or relationship without a default is not filled.
  case unmappedRequired
  /// An option of a field does not fit the attribute's type.
  case unsuitableOption
  /// The header has no such column.
  case unknownColumn
  /// The header names a column twice.
  case duplicateColumn
  /// A column of the header is not used.
  case unusedColumn
  /// A JSON document has no array of records at the given path.
  case missingRecords
  /// A database has no such table, or several and none is selected.
  case unknownTable
  /// A query or a predicate cannot be read, or does more than reading.
  case invalidQuery
  /// The scope of a deletion cannot be read or carried out.
  case invalidScope
  /// A database is not a Core Data store, or not one of this model.
  case unsuitableStore
  /// None of the first JSON records has the member.
  case absentMember
  /// A date pattern cannot be read, or is probably not what was meant.
  case datePattern
  /// A zone is not an offset from UTC.
  case invalidTimeZone
  /// A spelling means both true and false.
  case ambiguousSpelling
  /// The empty text is listed as a spelling.
  case emptySpelling
  /// The decimal mark and the group mark are the same.
  case ambiguousMark
  /// A character cannot mark decimals or groups.
  case invalidMark
  /// The model's default is not of its attribute's type.
  case invalidDefault
  /// A replacement value is not of the attribute's type.
  case invalidValue
  /// A column depends on itself, or is defined twice.
  case cyclicColumn
  /// A step, a condition or an attribute cannot use the type of its input.
  case transformType
  /// An option of a step or a process has no meaning.
  case transformOption
  /// An expression or a predicate cannot be read, or does not apply to columns.
  case expression
  /// An expression has a type that a column cannot have.
  case expressionType
  /// A regular expression cannot be used.
  case invalidPattern
  /// A pattern of `LIKE` has SQL's wild card, which is not one here.
  case sqlPattern
  /// A case of a pipeline's tests has another result than expected.
  case testDiffers

  /// The severity of findings of this kind.
  public var severity: Diagnostic.Severity {
    switch self {
    case .unusedVariable, .unindexedKey, .unusedColumn, .absentMember, .repeatedFile, .emptyFile, .misnamedFile,
      .uncertainDialect, .emptySpelling, .sqlPattern, .cursorOfAnother:
      .warning
    default: .error
    }
  }

  /// One sentence for the reference.
  public var summary: String {
    switch self {
    case .unknownField: "A mapping has an unknown field."
    case .missingField: "A required field is missing."
    case .wrongType: "A field has a value of the wrong kind."
    case .invalidOption: "A field's value is not one of those allowed."
    case .missingVariable:
      "`${NAME}` or `${secret:NAME}` is neither set nor in the environment, or the file of a secret cannot be read."
    case .invalidVariable: "`${...}` is not closed, or does not name a variable."
    case .invalidSecret:
      "A secret is too short to be kept out of the output, or its file is not text."
    case .invalidInclude: "Files include each other in a cycle, too deeply, or there are too many of them."
    case .unusedVariable: "`--set` names a variable that the file does not use."
    case .unreadableFile: "A file does not exist or cannot be read."
    case .noMatchingFile: "A glob or a folder has no file that matches."
    case .repeatedFile: "A file is named twice; it is read once."
    case .cursorOfAnother:
      "Another pipeline that is checked with this one has its name and its store, and both have `since`."
    case .uncertainDialect: "The dialect detected from a file's first bytes is not certain."
    case .emptyFile: "A file, or a member of an archive, has nothing in it, and `empty_files: skip` skips it."
    case .misnamedFile: "A file's extension does not match the way it is compressed."
    case .unsafeOutput:
      "A file that the run would write is one that it already reads or writes, holds something else, cannot be read, or has"
        + " the name of a compressed file."
    case .invalidManifest: "A manifest is malformed, or a file does not have the size that it gives."
    case .unknownMember: "An archive has no such member, or has several and none is selected."
    case .unknownEntity: "The model has no such entity."
    case .unsuitableEntity:
      "The entity is abstract, is not the relationship's destination, or has more columns than SQLite"
        + " allows."
    case .unknownAttribute: "The entity has no such attribute."
    case .unknownRelationship: "The entity has no such relationship."
    case .unknownImport: "`after` names an import that is not in the file."
    case .cyclicImports: "An import needs objects of another one that cannot run before it."
    case .wrongKind: "An attribute is listed under `relationships`, or a relationship under `attributes`."
    case .unsuitableRelationship:
      "A record cannot fill a transient relationship, nor a to-many relationship without `each` or"
        + " `split`."
    case .unsuitableAttribute: "A record cannot fill a derived, transient, composite or undefined attribute."
    case .unsuitableKey: "Objects cannot be found by an attribute of this type."
    case .unindexedKey: "No index and no uniqueness constraint covers the attributes of `find_by`."
    case .mappedTwice: "An attribute is mapped twice."
    case .unmappedRequired:
      "A mandatory attribute or relationship without a default is not mapped; of a to-many relationship without a"
        + " minimum, this is a warning."
    case .unsuitableOption:
      "An option does not apply here: not to the attribute's type, the relationship or the mode. For a"
        + " format, this is a warning."
    case .unknownColumn: "The header of a file has no such column."
    case .duplicateColumn: "The header of a file names a column twice."
    case .missingRecords: "A JSON document has no array at the path given by `records`."
    case .unknownTable: "A database has no such table or view, or has several tables and none is named."
    case .invalidQuery: "A source's query or predicate cannot be parsed, or does more than read."
    case .invalidScope: "The predicate for the objects that may be deleted cannot be parsed or evaluated."
    case .unsuitableStore: "A file is not a Core Data store in SQLite, or does not fit the model."
    case .absentMember: "None of the first JSON records has such a member."
    case .datePattern:
      "A date pattern is invalid; as a warning: the pattern is valid, but probably not what was meant."
    case .invalidTimeZone: "A zone is more than 24 hours from UTC."
    case .ambiguousSpelling: "A spelling is listed both as true and as false."
    case .emptySpelling: "The empty text is listed as a spelling; use `empty` to set its meaning."
    case .ambiguousMark: "The decimal mark and the group mark are the same."
    case .invalidMark: "A decimal or group mark is a letter, a digit, a sign or not ASCII."
    case .invalidDefault: "The model's default, used in place of a value, does not fit the attribute's type."
    case .invalidValue: "A replacement value does not fit the attribute's type."
    case .cyclicColumn: "A column is computed from itself, or is defined twice."
    case .transformType: "A step, a condition or an attribute expects values of another type."
    case .transformOption: "An option of a step or a process does not apply."
    case .expression: "An expression or a predicate cannot be parsed, or does more than read columns."
    case .expressionType: "The type of an expression is not one that a column can have."
    case .invalidPattern: "A regular expression cannot be used."
    case .sqlPattern: "A `LIKE` pattern uses SQL's wildcard `%`; here the wildcard is `*`."
    case .testDiffers: "The result of a test case is not the expected one (`mergewalk test` only)."
    case .unusedColumn:
      "A column of the header, or one made under `columns`, is not used; list a header's column under `ignore` if that"
        + " is intended."
    }
  }
}

extension Diagnostic {
  /// Creates a finding about a definition, with its kind's own severity.
  public init(_ code: FindingCode, path: String, position: SourcePosition, message: String, hint: String? = nil) {
    self.init(
      code.severity, code: code.rawValue, path: path, position: position, message: message, hint: hint)
  }
}
