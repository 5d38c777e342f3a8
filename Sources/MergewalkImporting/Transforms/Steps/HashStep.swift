import MergewalkBytes
import MergewalkObjectModel
import MergewalkRecordFormats

struct HashStep: StepAction, ColumnStep {
  var function: TransformStep.HashFunction

  static let spec = StepSpec(
    FieldSpec(
      "hash", .choice(of: TransformStep.HashFunction.self),
      "A digest in hexadecimal digits; `stable64` is an integer that is the same in every run.",
      example: "sha256"), types: "any → text",
    remark: "also `sha512`, `sha1`, `md5`; `stable64` gives a whole number, the same in every run"
  ) { value, _ in
    value.choice("hash", as: TransformStep.HashFunction.self).map { HashStep(function: $0) }
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    compiler.convert(input, to: .text).map {
      compiler.emit(self, on: $0, function == .stable64 ? .integer : .text)
    }
  }

  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { room in
      guard let room = room.baseAddress else { return }
      machine.eachText(from, &output, &records) { text, _, buffer in
        let length = Digests.digest(UnsafeRawBufferPointer(text), function.digest, to: room)
        // The system's policy forbids the function.
        guard length > 0 else { return .failed(.expression, index) }
        if function == .stable64 {
          var number: UInt64 = 0
          for byte in 0..<8 { number = number << 8 | UInt64(room[byte]) }
          return .value(number)
        }
        let start = buffer.position
        guard let target = buffer.reserve(2 * length) else { return .failed(.tooLong, index) }
        for byte in 0..<length {
          target[2 * byte] = Hexadecimal.digit(room[byte] >> 4)
          target[2 * byte + 1] = Hexadecimal.digit(room[byte] & 15)
        }
        buffer.take(2 * length)
        return .range(start, 2 * length)
      }
    }
  }
}

extension TransformStep {
  /// A hash function.
  public enum HashFunction: String, Sendable, Hashable, CaseIterable {
    /// SHA-256 in 64 hexadecimal digits.
    case sha256
    /// SHA-512 in 128 hexadecimal digits.
    case sha512
    /// SHA-1 in 40 hexadecimal digits; not safe against forgery.
    case sha1
    /// MD5 in 32 hexadecimal digits; not safe against forgery.
    case md5
    /// The first eight bytes of SHA-256 as a whole number: the same in every run and on every machine.
    case stable64

    fileprivate var digest: Digests.Function {
      switch self {
      case .sha256, .stable64: .sha256
      case .sha512: .sha512
      case .sha1: .sha1
      case .md5: .md5
      }
    }
  }
}

extension TransformStep.Action {
  /// Computes a digest in hexadecimal digits, or a number that is the same in every run.
  public static func hash(_ function: TransformStep.HashFunction) -> Self {
    Self("hash", HashStep(function: function))
  }
}
