//
//  Dog+CoreDataClass.swift
//
//  Made once by `mergewalk model codegen`; it is yours.
//

import MergewalkObjectContext

/// An object of the entity “Dog”.
public class Dog: Animal {

}
