import MergewalkObjectModel
import MergewalkSQLite

extension Connection {
  /// Registers functions that only Core Data has and that triggers of its stores call.
  ///
  /// Those that notify Core Data, with five arguments each, do nothing. The others compute values of derived attributes:
  /// `NSCoreDataNow` is in a published log of Core Data's statements; that the three of texts are called so is likely.
  package func registerCoreDataFunctions() throws(StoreError) {
    let notifications = [
      "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue", "NSCoreDataDATriggerUpdatedAffectedObjectValue",
      "NSCoreDataTriggerUpdateAffectedObjectValue",
    ]
    let texts: [(name: String, function: ExpressionFunction)] = [
      ("NSCoreDataCanonical", .canonical), ("NSCoreDataToUpper", .uppercase), ("NSCoreDataToLower", .lowercase),
    ]
    try mapped { () throws(SQLiteError) in
      for name in notifications { try registerNullFunction(name, argumentCount: 5) }
      try registerFunction("NSCoreDataNow", argumentCount: 0, isDeterministic: false) { call in
        call.return(ExpressionFunction.currentTime())
      }
      for text in texts {
        try registerFunction(text.name, argumentCount: 1) { call in
          guard !call.hasNull, case .string(let result)? = try? text.function.call(QueryFunctions.value(call, 0))
          else { return }
          call.return(result)
        }
      }
    }
  }
}
