import ObjectModel

/// Foundation has a type of this name too.
typealias Predicate = ObjectModel.Predicate
