extension Factors {
  /// How records are written.
  static let source = [
    format, container, encoding, delimiter, nulls, header, lines, paths, elements, fileCount, emptyFiles, texts,
  ]

  private static let format = Factor(
    "format",
    [.csv, .ndjson, .json, .jsonSequence, .xml, .yaml, .plist, .tsv, .fixedWidth, .sqlite].map { (format: DataFormat) in
      Factor.Value(format.rawValue) { $0.format = format }
    })

  private static let container = Factor(
    "container",
    [.plain, .gzip, .zstd, .bzip2, .xz, .tar, .tarGzip, .zip].map { (container: Container) in
      Factor.Value(container.rawValue) { $0.container = container }
    },
    except: [
      Exclusion(
        ["gzip", "zstd", "bzip2", "xz", "tar", "tar.gz", "zip"], with: "format", ["sqlite"],
        because: "a database is read in place and never packed")
    ])

  private static let encoding = Factor(
    "encoding",
    [
      Factor.Value("utf-8"),
      Factor.Value("mark") { $0.encoding = .utf8Mark },
      Factor.Value("utf-16le") { $0.encoding = .utf16le },
      Factor.Value("utf-16be") { $0.encoding = .utf16be },
      Factor.Value("utf-32le") { $0.encoding = .utf32le },
      Factor.Value("latin-1") { $0.encoding = .latin1 },
      Factor.Value("windows-1252") { $0.encoding = .windows1252 },
      Factor.Value("utf-16") { $0.encoding = .utf16 },
      Factor.Value("shift-jis") { $0.encoding = .shiftJIS },
      Factor.Value("johab") { $0.encoding = .johab },
      Factor.Value("detected") { $0.encoding = .detected },
    ],
    except: [
      Exclusion(
        [
          "mark", "utf-16le", "utf-16be", "utf-32le", "latin-1", "windows-1252", "utf-16", "shift-jis", "johab",
          "detected",
        ], with: "format", ["sqlite"],
        because: "a database says itself how its texts are encoded"),
      Exclusion(
        ["utf-16le", "utf-16be", "utf-32le", "latin-1", "windows-1252", "utf-16", "shift-jis", "johab"],
        with: "format", ["plist"],
        because: "the writer of property lists declares UTF-8"),
    ])

  private static let delimiter = Factor(
    "delimiter",
    [
      Factor.Value("comma"),
      Factor.Value("semicolon") {
        $0.delimited.delimiter = ";"
        $0.source["delimiter"] = "semicolon"
      },
      Factor.Value("detected") {
        $0.delimited.delimiter = ";"
        $0.source["dialect"] = "detect"
        $0.isTame = true
      },
      Factor.Value("two-bytes") {
        $0.delimited.delimiter = "||"
        $0.source["delimiter"] = "\"||\""
      },
    ],
    except: [
      Exclusion(
        ["semicolon", "two-bytes", "detected"], with: "format",
        ["tsv", "fixed-width", "ndjson", "json", "json-seq", "xml", "yaml", "plist", "sqlite"],
        because: "only csv has delimiters to choose"),
      Exclusion(
        ["semicolon", "two-bytes", "detected"], with: "paths", ["attributes"], because: "only XML has attributes"),
      Exclusion(
        ["semicolon", "two-bytes", "detected"], with: "each", ["elements"],
        because: "records of text lines and of tables hold no records"),
    ])

  /// Whether the pipeline says what means null, or detection finds a word that does in columns of numbers and the like.
  private static let nulls = Factor(
    "nulls",
    [
      Factor.Value("told"),
      Factor.Value("detected") { scenario in
        // The delimiter is another matter.
        if scenario.source["dialect"] == nil, scenario.source["delimiter"] == nil {
          scenario.source["delimiter"] = "comma"
        }
        scenario.source["dialect"] = "detect"
        scenario.delimited.detectedNull = "NA"
        scenario.isTame = true
      },
    ],
    except: [
      Exclusion(
        ["detected"], with: "format",
        ["tsv", "fixed-width", "ndjson", "json", "json-seq", "xml", "yaml", "plist", "sqlite"],
        because: "only csv has a dialect to detect"),
      Exclusion(["detected"], with: "paths", ["attributes"], because: "only XML has attributes"),
      Exclusion(
        ["detected"], with: "each", ["elements"], because: "records of text lines and of tables hold no records"),
    ])

  private static let header = Factor(
    "header",
    [
      Factor.Value("names"),
      Factor.Value("told") { $0.delimited.header = .none },
      Factor.Value("two-rows") {
        $0.delimited.header = .twoRows
        $0.source["header_rows"] = "2"
      },
      Factor.Value("skipped") {
        $0.delimited.preamble = ["A report, of today", ""]
        $0.source["skip_lines"] = "2"
      },
      Factor.Value("repeated") { $0.delimited.repeatsHeader = true },
      Factor.Value("doubtful") { $0.delimited.hasNearHeader = true },
    ],
    except: [
      Exclusion(
        ["told", "skipped", "two-rows", "repeated", "doubtful"], with: "format",
        ["fixed-width", "ndjson", "json", "json-seq", "xml", "yaml", "plist", "sqlite"],
        because: "only delimited text has a header"),
      Exclusion(
        ["told", "skipped", "two-rows", "repeated", "doubtful"], with: "paths", ["attributes"],
        because: "only XML has attributes"),
      Exclusion(
        ["told", "skipped", "two-rows", "repeated", "doubtful"], with: "each", ["elements"],
        because: "records of text lines and of tables hold no records"),
    ])

  private static let lines = Factor(
    "lines",
    [
      Factor.Value("plain"),
      Factor.Value("crlf") { $0.delimited.lineEnd = "\r\n" },
      Factor.Value("quoted") { $0.delimited.quotesAll = true },
      Factor.Value("remarks") {
        $0.delimited.hasComments = true
        $0.delimited.hasBlankLines = true
        $0.source["comment"] = "\"#\""
      },
      Factor.Value("short") {
        $0.delimited.shortColumns = 3
        $0.source["short_records"] = "pad"
      },
    ],
    except: [
      Exclusion(
        ["crlf", "quoted", "remarks", "short"], with: "format",
        ["fixed-width", "ndjson", "json", "json-seq", "xml", "yaml", "plist", "sqlite"],
        because: "only delimited text has such lines"),
      Exclusion(
        ["short"], with: "delimiter", ["detected"],
        because: "ragged lines alone are no evidence for a delimiter, and a single column is refused"),
      Exclusion(
        ["crlf", "quoted", "remarks", "short"], with: "paths", ["attributes"], because: "only XML has attributes"),
      Exclusion(
        ["crlf", "quoted", "remarks", "short"], with: "each", ["elements"],
        because: "records of text lines and of tables hold no records"),
    ])

  private static let paths = Factor(
    "paths",
    [
      Factor.Value("flat"),
      Factor.Value("nested") { $0.paths = .nested },
      Factor.Value("awkward") { $0.paths = .awkward },
      Factor.Value("attributes") { $0.paths = .attributes },
    ],
    except: [
      Exclusion(["awkward"], with: "format", ["xml"], because: "names of XML have no blanks"),
      Exclusion(
        ["attributes"], with: "format",
        ["csv", "tsv", "fixed-width", "ndjson", "json", "json-seq", "yaml", "plist", "sqlite"],
        because: "only XML has attributes"),
      Exclusion(
        ["awkward"], with: "encoding", ["windows-1252", "latin-1", "shift-jis", "johab"],
        because: "names beyond ASCII are the business of the encodings that have them all"),
      Exclusion(
        ["awkward"], with: "header", ["doubtful"],
        because: "names in another case are recognised where their letters are ASCII"),
    ])

  private static let elements = Factor(
    "each",
    [
      Factor.Value("none"),
      Factor.Value("elements") { $0.hasElements = true },
    ],
    except: [
      Exclusion(
        ["elements"], with: "format", ["csv", "tsv", "fixed-width", "sqlite"],
        because: "records of text lines and of tables hold no records")
    ])

  private static let fileCount = Factor(
    "files",
    [
      Factor.Value("one"),
      Factor.Value("three") { $0.fileCount = 3 },
      Factor.Value("members") { ($0.fileCount, $0.archives) = (3, 1) },
      Factor.Value("archives") { ($0.fileCount, $0.archives) = (3, 2) },
      Factor.Value("foreign-names") {
        ($0.fileCount, $0.archives) = (3, 1)
        $0.hasForeignNames = true
      },
    ],
    except: [
      Exclusion(
        ["members", "archives", "foreign-names"], with: "container", ["plain", "gzip", "zstd", "bzip2", "xz"],
        because: "only archives have members"),
      Exclusion(
        ["members", "archives", "foreign-names"], with: "format", ["sqlite"],
        because: "a database is read in place and never packed"),
    ])

  private static let emptyFiles = Factor(
    "empty-files",
    [
      Factor.Value("none"),
      Factor.Value("first") {
        $0.emptyFile = .first
        $0.source["empty_files"] = "skip"
      },
      Factor.Value("last") {
        $0.emptyFile = .last
        $0.source["empty_files"] = "skip"
      },
    ],
    except: [
      Exclusion(["first", "last"], with: "format", ["sqlite"], because: "a file without anything is no database")
    ])

  private static let texts = Factor(
    "texts",
    [
      Factor.Value("hard"),
      Factor.Value("tame") { $0.isTame = true },
    ])
}
