import MergewalkObjectContext
import MergewalkObjectModel

// The four ways of docs/attributes.md, as compiled there: a transient attribute `color` of any type, and the persistent
// attribute `colorText` that the store has instead. `ShadowTests` holds the page and this file together.

struct ShadowColor: Equatable {
  nonisolated(unsafe) static var conversions = 0
  var red: Int
  var green: Int

  init(red: Int, green: Int) { (self.red, self.green) = (red, green) }

  init?(_ text: String) {
    Self.conversions += 1
    let parts = text.split(separator: " ").compactMap { Int($0) }
    guard parts.count == 2 else { return nil }
    self.init(red: parts[0], green: parts[1])
  }

  var text: String { "\(red) \(green)" }
}

// page: on-demand
final class OnDemandCar: ManagedObject {
  @Managed("colorText") var colorText: String?

  var color: ShadowColor? {
    willAccessValue(forKey: "color")
    defer { didAccessValue(forKey: "color") }
    if let known = try? primitiveTransient(forKey: "color") as? ShadowColor { return known }
    guard let made = colorText.flatMap({ ShadowColor($0) }) else { return nil }
    try? setPrimitiveTransient(made, forKey: "color")
    return made
  }
}
// end

// page: pre-calculated
final class PreCalculatedCar: ManagedObject {
  @Transformed("color") var color: ShadowColor?

  override func awakeFromFetch() {
    super.awakeFromFetch()
    let text: String? = primitive("colorText")
    try? setPrimitiveTransient(text.flatMap { ShadowColor($0) }, forKey: "color")
  }
}
// end

// page: immediate
final class ImmediateCar: ManagedObject {
  var color: ShadowColor? {
    get { getTransformed("color") }
    set {
      setTransformed("color", newValue)
      set("colorText", newValue?.text)
    }
  }
}
// end

// page: delayed
final class DelayedCar: ManagedObject {
  @Transformed("color") var color: ShadowColor?

  override func willSave() {
    super.willSave()
    let text = color?.text
    if !isDeleted, text != primitive("colorText") { setPrimitive("colorText", text) }
  }
}
// end

// page: validity
final class ValidatedCar: ManagedObject {
  private var isColorValid = false

  var color: ShadowColor? {
    if !isColorValid {
      let text: String? = get("colorText")
      try? setPrimitiveTransient(text.flatMap { ShadowColor($0) }, forKey: "color")
      isColorValid = true
    }
    return getTransformed("color")
  }

  override func didTurnIntoFault() {
    super.didTurnIntoFault()
    isColorValid = false
  }
}
// end
