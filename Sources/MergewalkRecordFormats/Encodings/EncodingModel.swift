/// The appearance of texts that are decoded correctly.
enum EncodingModel {
  // MARK: Chinese, Japanese, Korean

  /// An encoding of several bytes a character.
  struct EastAsian: Sendable {
    enum Script: Sendable { case japanese, korean, chinese }

    var name: String
    var script: Script

    /// Whether characters whose second byte is ASCII are rare ones.
    var hasRarePairs: Bool { ["euc-kr", "cp949", "gb18030"].contains(name) }

    /// How common the text's characters beyond ASCII are: about 1 for a text of the script, 0 and less for none.
    func score(_ text: String) -> Double {
      var sum = 0.0
      var count = 0
      var before: Unicode.Scalar = " "
      for scalar in text.unicodeScalars {
        // Words of two scripts are rare.
        if Self.isWide(scalar) ? Self.isLetter(before) : Self.isLetter(scalar) && Self.isWide(before) { sum -= 0.3 }
        before = scalar
        guard scalar.value >= 0x80 else { continue }
        count += 1
        sum += weight(scalar.value)
      }
      return count == 0 ? 0 : sum / Double(count)
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { (0x61...0x7A).contains(scalar.value | 0x20) }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool { (0x3040..<0xD800).contains(scalar.value) }

    private func weight(_ scalar: UInt32) -> Double {
      switch scalar {
      case 0x80..<0xA0: -3
      case 0x3041...0x3096: script == .japanese ? 1 : -0.3
      case 0x30A1...0x30FC: script == .japanese ? 0.8 : -0.3
      // Half-width forms are what many other encodings' bytes are in Shift_JIS.
      case 0xFF61...0xFF9F: -0.2
      case 0xAC00...0xD7A3: script != .korean ? -0.5 : EncodingModel.commonHangul.contains(scalar) ? 1 : 0.5
      case 0x3001, 0x3002, 0x300C...0x300F, 0xFF01, 0xFF0C, 0xFF1A, 0xFF1B, 0xFF1F, 0xFF08, 0xFF09: 0.6
      case 0x2013...0x2026, 0xB7, 0x3000, 0x30FB, 0xFF10...0xFF5A: 0.4
      case 0x4E00...0x9FFF: han(scalar)
      case 0xE000...0xF8FF: -2
      default: -0.5
      }
    }

    private func han(_ scalar: UInt32) -> Double {
      let isCommon = EncodingModel.commonHan.contains(scalar)
      return switch script {
      case .japanese: isCommon ? 0.7 : 0.25
      case .korean: -0.4
      case .chinese: isCommon ? 1 : 0.15
      }
    }
  }

  static let eastAsian = [
    EastAsian(name: "euc-jp", script: .japanese), EastAsian(name: "shift_jis", script: .japanese),
    EastAsian(name: "windows-31j", script: .japanese), EastAsian(name: "euc-kr", script: .korean),
    EastAsian(name: "cp949", script: .korean), EastAsian(name: "gb18030", script: .chinese),
    EastAsian(name: "big5", script: .chinese), EastAsian(name: "big5-hkscs", script: .chinese),
    EastAsian(name: "euc-tw", script: .chinese),
  ]

  /// The characters that make up half of Chinese texts, in both ways of writing, and frequent ones of Japanese.
  private static let commonHan = Set(
    ("的一是不了在人有我他这個个們们中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于着下自之年过過发發后後作里裡"
      + "用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理心她本前开開但因只从從"
      + "想实實日军軍者意无無力它与與长長把机機十民第公此已工使情明性知全三又关關点點正业業外将將两兩高间間由问問很最重并物手应應战戰"
      + "向头頭文体體政美相见見被利什二等产產或新己制身果加西斯月话話合回特代内內信表化老给給世位次度门門任常先海通教儿兒原东東声聲提"
      + "立及比员員解水名真论論处處走义義各入几幾口认認条條平系气氣题題活尔爾更别別打女变變四神总總何电電数數安少报報才结結反受目太量"
      + "再感建务務做接必场場件计計管期市直德资資命山金指克许許统統区區保至队隊形社便空决決治展马馬科司五基眼书書非则則听聽白却界达達"
      + "光放强強即像难難且权權思王象完设設式色路记記南品住告类類求据程北边邊死张張该該交规規万萬取拉格望觉覺术術领領共确確传傳师師观觀"
      + "清今切院让讓识識候带帶导導争爭运運字漢漢汉字編編编码碼語语言今日本語文章入出書見行年月日時間前後私彼今何方気持"
      // Tables have these.
      + "省市县縣区區镇鎮村号號码碼姓名称稱价價格甲乙丙丁京津沪滬渝冀晋晉辽遼吉黑苏蘇浙皖闽閩赣贛鲁魯豫鄂湘粤粵桂琼瓊川贵貴云雲藏陕陝甘青宁寧港澳台臺")
      .unicodeScalars.map(\.value))

  /// The syllables that make up most of Korean texts.
  private static let commonHangul = Set(
    ("이다는의에을가고를은한지로사기도하서인리자시해어나대일아그니라스정수있것부과안보면으들었전만동제장여게주원성조국관상구화신경분오비생세우무소"
      + "공방연계실유당중진용양위현개금선간마모회민적말강반남문영체치단종업년월심명통행설교발최려래내며와던될되된합할함김박권음식품번호름").unicodeScalars.map(
        \.value))

  // MARK: One byte a character

  /// The encodings in the order in which the first of equals is taken.
  static let singleByteNames =
    ["windows-1252", "iso-8859-15", "windows-1250", "iso-8859-2", "windows-1251", "koi8-r", "koi8-u", "iso-8859-5"]
    + ["ibm866", "ibm855", "mac-cyrillic", "windows-1253", "iso-8859-7", "windows-1254", "iso-8859-9", "windows-1255"]
    + [
      "iso-8859-8", "windows-1256", "iso-8859-6", "tis-620", "iso-8859-11", "windows-1257", "iso-8859-13", "iso-8859-4",
    ]
    + [
      "windows-1258", "viscii", "iso-8859-3", "iso-8859-10", "iso-8859-14", "iso-8859-16", "ibm850", "ibm852", "ibm437",
    ]
    + ["macintosh"]

  /// How much better the letters must fit an encoding that hardly a file is written in, so that a few names of several
  /// languages do not make one of it.
  ///
  /// - Parameters:
  ///   - isShort: whether there are too few letters to tell the encodings of old systems from the common ones.
  ///   - isMonotonous: whether there are but one or two different bytes beyond ASCII, such as a sign of a currency or a
  ///     unit in each line: whatever their number, they tell no language.
  static func handicap(_ name: String, isShort: Bool, isMonotonous: Bool) -> Double {
    if isMonotonous { return name == "windows-1252" ? 0 : latinNames.contains(name) ? 0.12 : 0.4 }
    return rareNames.contains(name) || (isShort && oldNames.contains(name)) ? 0.25 : 0
  }

  private static let oldNames: Set<String> = ["ibm850", "ibm852", "ibm437", "ibm855", "macintosh", "mac-cyrillic"]

  private static let rareNames: Set<String> = [
    "iso-8859-3", "iso-8859-4", "iso-8859-10", "iso-8859-14", "iso-8859-16",
  ]

  /// Common encodings of Latin letters besides the most common one.
  private static let latinNames: Set<String> = [
    "iso-8859-15", "windows-1250", "iso-8859-2", "windows-1254", "iso-8859-9", "windows-1257", "iso-8859-13",
    "windows-1258",
  ]

  /// The letters of a language beyond ASCII, the most frequent first.
  struct Language: Sendable {
    var name: String
    /// Lower case where there are two.
    var letters: String
    /// The language writes with these letters only, so that their order counts for more.
    var isWholeScript = false
    /// Words of several languages with few letters beyond ASCII, such as people's names.
    var isMixture = false
  }

  static let languages: [Language] = [
    Language(name: "German", letters: "üäöß"), Language(name: "French", letters: "éèàêçùôâîûëïœ"),
    Language(name: "Spanish", letters: "óíáéñúü¿¡"), Language(name: "Portuguese", letters: "ãçáéíóêâõàôúü"),
    Language(name: "Italian", letters: "àèùòéìî"), Language(name: "Danish or Norwegian", letters: "åøæéò"),
    Language(name: "Swedish or Finnish", letters: "äöåé"), Language(name: "Dutch", letters: "ëéïöèüêá"),
    Language(name: "Catalan", letters: "àéèíóòçúïü·"), Language(name: "Icelandic", letters: "áðíéóöúþýæ"),
    Language(name: "Polish", letters: "ąęłóśżćńź"), Language(name: "Czech", letters: "íáéěýřčžšůúťďňó"),
    Language(name: "Slovak", letters: "áíéčýžšúťľôňďóäĺŕ"), Language(name: "Hungarian", letters: "áéőöíóüűú"),
    Language(name: "Romanian", letters: "ăîâșțşţ"), Language(name: "Croatian, Slovene or Bosnian", letters: "čšžćđ"),
    Language(name: "Turkish", letters: "ıüşçğöâîûi̇"), Language(name: "Esperanto", letters: "ĉĝŭŝĵĥ"),
    Language(name: "Maltese", letters: "ħżġċàèìòù"), Language(name: "Estonian", letters: "äõüöšž"),
    Language(name: "Lithuanian", letters: "ėšįųžūčąę"), Language(name: "Latvian", letters: "āīēšūņžļčģķ"),
    Language(name: "Welsh or Irish", letters: "áéíóúŵŷâêîôû"),
    Language(
      name: "Vietnamese",
      letters:
        "đàáươệạảấộưếậầôớịờâủểốêồừãợúíìóăựứềùạổòĩọốẽẻễẳằắặẵẩẫẹẽèéêỉịỏõồỗởỡụủũửữỳỵỷỹý\u{300}\u{301}\u{303}\u{309}\u{323}"
    ),
    Language(name: "several languages of Western Europe", letters: "éüöäáíóñçèãåøæëêôúâß", isMixture: true),
    Language(name: "Russian", letters: "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", isWholeScript: true),
    Language(name: "Ukrainian", letters: "оаниівтеслкрмдупязьгбчйхжїюцєшщфґ", isWholeScript: true),
    Language(name: "Bulgarian", letters: "аоеитнрсвлдмкпзъягубчшцжщйхюфь", isWholeScript: true),
    Language(name: "Serbian", letters: "аоиенртјвскдупмљзбгшњжђчћцхфџ", isWholeScript: true),
    Language(name: "Greek", letters: "αοιετσνηυρπκμλςωίόάγέήδθύχώφβξζψϊϋΐΰ", isWholeScript: true),
    Language(name: "Hebrew", letters: "יוהלאתרבמשנדםקכעטפחןסגךזץצף", isWholeScript: true),
    Language(
      name: "Arabic or Persian", letters: "اليمنورتبةعدسفهكقأحجشطصىخإذزضغثئءظؤآیکپچژگ\u{64B}\u{651}",
      isWholeScript: true),
    Language(
      name: "Thai",
      letters: "านรอกเงมยล่วดทสต้ปบคหัิแีจพชขใไโะำึืุู็์ผถณซศฟษธภญฎฏฐฑฒฬฮฆฉฌฝฯๆ", isWholeScript: true),
  ]

  /// Marks of print, prices and measures that stand in texts of any language.
  private static let marks = signs.union(
    "\u{A0}«»“”„‘’‚–—…·•°№¿¡′″¨´\u{200E}\u{200F}،؛؟\u{5BE}\u{5F3}\u{5F4}".unicodeScalars.map(\.value))

  /// Those that no other of them stands beside.
  private static let signs = Set("€§©®™£¥¢²³¹½¼¾±×÷µªº‰†‡¬".unicodeScalars.map(\.value))

  /// Those that may stand inside a word.
  private static let joints = Set(
    "\u{A0}’–—·…′´\u{200E}\u{200F}\u{5BE}\u{5F3}\u{5F4}".unicodeScalars.map(\.value))

  /// Those that no letter follows, and those that follow no letter.
  private static let closers = Set("£¥¢²³¹½¼¾".unicodeScalars.map(\.value))
  private static let openers = Set("‚„«¿¡".unicodeScalars.map(\.value))

  /// For each language the weight of its letters, in lower case.
  private static let weights: [[UInt32: Double]] = languages.map { language in
    let scalars = Array(language.letters.unicodeScalars)
    var weights: [UInt32: Double] = [:]
    // Where there are many letters, chance hits one of them often.
    let slope = scalars.count > 40 ? 0.9 : 0.35
    for (rank, scalar) in scalars.enumerated() where weights[scalar.value] == nil {
      let share = Double(rank) / Double(scalars.count)
      if language.isMixture {
        weights[scalar.value] = 0.6
        continue
      }
      weights[scalar.value] = language.isWholeScript ? 1.4 - 1.9 * share : 1 - slope * share
    }
    return weights
  }

  /// How well a text's characters beyond ASCII fit the best language: at most about 1; nil for a text without any.
  ///
  /// `strays` are symbols beside letters, where a person writes none. Words of several languages have few letters beyond
  /// ASCII, unless they are `dense`: up to half of their letters.
  static func score(_ text: String, dense: Bool = false) -> (score: Double, language: String, strays: Int)? {
    var sums = [Double](repeating: 0, count: languages.count)
    var common = 0.0
    var count = 0
    var strays = 0
    var plainLetters = 0
    var before: Role = .other
    var scriptBefore = Script.none
    var isBehindFinal = false
    var isBehindBreak = false
    var valueBefore: UInt32 = 0
    var word = Word()
    for scalar in text.unicodeScalars {
      let kind = Role(scalar)
      let script = kind.isLetter ? Script(scalar) : .none
      // Words do not mix letters of two scripts.
      if script != .none, scriptBefore != .none, script != scriptBefore { common -= 1.2 }
      let letterBefore = before.isLetter
      defer {
        before = kind
        valueBefore = scalar.value
        scriptBefore = script
        isBehindFinal = finalLetters.contains(scalar.value)
        isBehindBreak = kind == .mark && letterBefore && !joints.contains(scalar.value)
      }
      // Quotes and signs of currencies stand beside words, not inside.
      if isBehindBreak, kind.isLetter { common -= 1.5 }
      if isBehindFinal, kind.isLetter { common -= 1.5 }
      if kind.isLetter ? closers.contains(valueBefore) : letterBefore && openers.contains(scalar.value) { common -= 1 }
      if signs.contains(scalar.value), signs.contains(valueBefore), scalar.value != valueBefore { common -= 0.8 }
      if !kind.isLetter { word.end(&sums) }
      if kind.isLetter ? before == .symbol : kind == .symbol && letterBefore { strays += 1 }
      guard scalar.value >= 0x80 else {
        if kind.isLetter {
          plainLetters += 1
          word.length += 1
          // A symbol between letters is not one that a person wrote there.
          if before == .symbol { common -= 0.4 }
        }
        continue
      }
      count += 1
      switch kind {
      case .lower, .upper, .caseless:
        var value = scalar.value
        if kind == .upper { value = scalar.properties.lowercaseMapping.unicodeScalars.first?.value ?? value }
        for i in sums.indices { sums[i] += weights[i][value] ?? -1 }
        word.length += 1
        word.letters.append(value)
        if kind == .upper {
          common -= before == .lower ? 1 : 0.1
        }
        if before == .symbol { common -= 0.4 }
      case .symbol: common -= before == .lower || before == .upper ? 1.2 : 0.7
      case .control: common -= 4
      case .mark, .other: common += 0.6
      }
    }
    word.end(&sums)
    if count > 0 {
      // A fifth to a half of the letters of Vietnamese have marks.
      let share = Double(count) / Double(count + plainLetters)
      if share < 0.12 || share > 0.6 { sums[vietnamese] -= Double(count) }
      // In other scripts all letters are beyond ASCII.
      if share > (dense ? 0.5 : 0.2) { sums[mixture] -= Double(count) }
      // A letter or two among many others are an accent rather than a word of another script.
      if count < 4, share < 0.5 {
        for (i, language) in languages.enumerated() where language.isWholeScript { sums[i] -= Double(count) }
      }
    }
    guard count > 0, let best = sums.indices.max(by: { sums[$0] < sums[$1] }) else { return nil }
    return ((sums[best] + common) / Double(count), languages[best].name, strays)
  }

  /// The letters of a word so far.
  private struct Word {
    var length = 0
    /// Those beyond ASCII, in lower case.
    var letters: [UInt32] = []

    /// Ends the word: a letter that stands alone, or beside one of ASCII, as units do, hardly speaks for a language.
    mutating func end(_ sums: inout [Double]) {
      if length == 0 { return }
      if length <= 2, letters.count == 1 {
        // Vietnamese has many such words.
        for i in sums.indices where i != EncodingModel.vietnamese {
          sums[i] -= 0.6 * max(0, EncodingModel.weights[i][letters[0]] ?? 0)
        }
      }
      length = 0
      letters.removeAll(keepingCapacity: true)
    }
  }

  /// Letters that stand at the end of a word only.
  private static let finalLetters = Set("ςםןץףך".unicodeScalars.map(\.value))

  private static let vietnamese = languages.firstIndex { $0.name == "Vietnamese" } ?? 0
  private static let mixture = languages.firstIndex(where: \.isMixture) ?? 0

  /// The script of a letter, as far as encodings mix them up.
  private enum Script {
    case none, latin, other

    init(_ scalar: Unicode.Scalar) {
      switch scalar.value {
      case ..<0x300, 0x1E00..<0x1F00: self = .latin
      case 0x300..<0x370: self = .none
      default: self = .other
      }
    }
  }

  /// The role of a character in a word.
  private enum Role {
    case lower, upper, caseless, mark, symbol, control, other

    var isLetter: Bool { self == .lower || self == .upper || self == .caseless }

    init(_ scalar: Unicode.Scalar) {
      switch scalar.value {
      case 0x61...0x7A: self = .lower
      case 0x41...0x5A: self = .upper
      case 0..<0x80: self = .other
      case 0x80..<0xA0: self = .control
      case _ where EncodingModel.marks.contains(scalar.value): self = .mark
      default:
        switch scalar.properties.generalCategory {
        case .lowercaseLetter: self = .lower
        case .uppercaseLetter: self = .upper
        case .otherLetter, .nonspacingMark, .spacingMark, .modifierLetter: self = .caseless
        default: self = .symbol
        }
      }
    }
  }
}
