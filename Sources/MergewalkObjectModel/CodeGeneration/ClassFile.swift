/// The text of `Employee+CoreDataClass.swift`.
enum ClassFile {
  static func text(_ name: String, superclass: String?, plan: ClassPlan) -> String {
    var types = SwiftTypes(classNames: Set(plan.owners.keys))
    types.beginFile()
    let base = superclass.map(SwiftNames.escaped) ?? types.type("ManagedObject", in: "MergewalkObjectContext")
    // A class of another file brings its own import.
    return """
      //
      //  \(name)+CoreDataClass.swift
      //
      //  Made once by `mergewalk model codegen`; it is yours.
      //

      \(superclass == nil ? "public import MergewalkObjectContext" : "import MergewalkObjectContext")

      /// An object of the entity “\(name)”.
      public class \(SwiftNames.escaped(name)): \(base) {

      }

      """
  }
}
