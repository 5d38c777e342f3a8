import MergewalkObjectModel

extension ColumnProfile {
  /// The type of the column and what speaks for it.
  struct Verdict {
    var type: ColumnType
    /// The marks of its numbers, where they are not those of programs.
    var decimalMark: UInt8?
    var groupMark: UInt8?
    /// The steps that make its texts values of the type, as a pipeline has them.
    var steps: [String] = []
    /// The spellings of true and of false.
    var trueWords = ["true"]
    var falseWords = ["false"]
    /// Whether its numbers may begin with zeros or a plus, as codes do.
    var takesCodes = false
    /// Spellings of null among its values.
    var nullSpellings: [String] = []
    var evidence: [String] = []
    /// The questions for a person to decide.
    var questions: [Question] = []

    /// The ways in which a person may decide: what is certain is the only one.
    var choices: [Verdict] {
      guard type == .text else {
        var certain = self
        certain.evidence = []
        return [certain]
      }
      return questions.flatMap(\.answers)
    }
  }

  /// A question that the values of a column leave open.
  struct Question {
    var text: String
    /// The verdict that each answer would be, with the condition as its evidence; none where no line answers it.
    var answers: [Verdict] = []
  }
}

extension ColumnType {
  var modelType: AttributeType {
    switch self {
    case .integer: .integer64
    case .decimal: .decimal
    case .double: .double
    case .boolean: .boolean
    case .date: .date
    case .uuid: .uuid
    case .json, .text: .string
    }
  }
}
