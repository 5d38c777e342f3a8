/// Reads the chosen members of an archive one after the other, each as a file of its own.
struct MemberReader: RecordReader {
  let columns: [String]
  private let contents: SourceContents
  private let format: RecordFormat
  private let index: Int
  private var reader: any RecordReader
  private var member: String

  /// Opens the first member.
  ///
  /// Where all columns are requested, they are those of the first member, and the others must have them.
  init(
    _ contents: SourceContents, format: RecordFormat, columns request: ColumnRequest, index: Int
  ) throws(ReadError) {
    self.contents = contents
    self.format = format
    self.index = index
    let stream = try contents.first()
    reader = try format.reader(stream: stream, columns: request, index: index)
    columns = reader.columns
    member = contents.memberName(stream)
  }

  var bytesRead: Int { contents.bytesRead }
  var header: [String] { reader.header }

  mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    var passed = TextAccount()
    while true {
      if try reader.read(into: &batch, limit: limit) {
        batch.member = member
        batch.account += passed
        batch.emptyMembers = contents.takeEmptyMembers()
        return true
      }
      passed += batch.account
      guard let stream = try contents.next() else {
        batch.clear()
        batch.account = passed
        batch.emptyMembers = contents.takeEmptyMembers()
        return false
      }
      reader = try format.reader(stream: stream, columns: .named(columns), index: index)
      member = contents.memberName(stream)
    }
  }
}
