//
//  Publication+CoreDataClass.swift
//
//  Made once by `mergewalk model codegen`; it is yours.
//

public import MergewalkObjectContext

/// An object of the entity “Publication”.
public class Publication: ManagedObject {

}
