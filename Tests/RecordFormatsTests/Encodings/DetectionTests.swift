import MergewalkDiagnostics
import MergewalkTestSupport
import Testing

@testable import MergewalkRecordFormats

@Suite struct DetectionTests {
  private static let texts: [(text: String, encodings: [String])] = [
    ("Gerät;Größe;Preis\nKühlschrank;groß;399 €\nTür;schmal;89\n", ["windows-1252", "iso-8859-15"]),
    ("Straße,Müller,Jürgen\nÄpfel,Öl,Übung\n", ["windows-1252", "iso-8859-1", "ibm850", "macintosh"]),
    ("größe,1\ngröße,2\n", ["ibm850", "windows-1252", "iso-8859-15"]),
    ("nom,ville\nFrançois,Besançon\nHélène,Nîmes\nLéa,Évreux\n", ["windows-1252", "iso-8859-1"]),
    ("nombre;año\nMuñoz;2001\n¿Dónde está el niño?;1999\n", ["windows-1252", "iso-8859-1"]),
    ("imię;miasto\nŁukasz;Łódź\nGrażyna;Kraków\nJóźwiak;Gdańsk\nŚwiętosława;Żółć\n", ["windows-1250", "iso-8859-2"]),
    ("jméno,město\nJiří,Plzeň\nŘehoř,Kroměříž\nŽofie,Ústí nad Labem\n", ["windows-1250", "iso-8859-2"]),
    ("név;város\nGyörgy;Győr\nÁrvíztűrő tükörfúrógép;Pécs\n", ["windows-1250", "iso-8859-2"]),
    (
      "имя;город\nАлексей;Москва\nНаталья;Санкт-Петербург\nСергей;Нижний Новгород\n",
      ["windows-1251", "koi8-r", "ibm866", "iso-8859-5", "mac-cyrillic", "ibm855"]
    ),
    ("ім'я;місто\nОлексій;Київ\nЄвген;Чернігів\nЮлія;Запоріжжя, Україна\n", ["windows-1251", "koi8-u"]),
    ("όνομα,πόλη\nΓιώργος,Αθήνα\nΕλένη,Θεσσαλονίκη\nο δρόμος προς το χωριό\n", ["windows-1253", "iso-8859-7"]),
    // A single letter tells the two apart; in the other one it is “¶” or “’”.
    (
      String(repeating: "Γιώργος,Αθήνα,ο δρόμος προς το χωριό\n", count: 20) + "Άννα,Θεσσαλονίκη,\n",
      ["windows-1253", "iso-8859-7"]
    ),
    ("isim;şehir\nAyşe;İstanbul\nÇağrı;Eskişehir\nGülşen;Diyarbakır\n", ["windows-1254", "iso-8859-9"]),
    ("שם,עיר\nדוד כהן,ירושלים\nשרה לוי,תל אביב\nיוסף,חיפה\n", ["windows-1255", "iso-8859-8"]),
    // Marks inside words, which only one of the two has, are no faults.
    (
      "שם,ארץ\nדוד כהן,ירושלים\nשרה לוי,תל אביב\nיוסף מזרחי,חיפה\nרחל אברהם,באר שבע\nמשה פרץ,נתניה\n"
        + "אסתר ביטון,אשדוד\nיעקב דהן,פתח תקווה\nחנה אגבריה,רמת גן\nצ׳אד,אפריקה\nפיג׳י,אוקיאניה\n", ["windows-1255"]
    ),
    ("الاسم,المدينة\nمحمد أحمد,القاهرة\nفاطمة علي,الإسكندرية\n", ["windows-1256", "iso-8859-6"]),
    ("ชื่อ,เมือง\nสมชาย ใจดี,กรุงเทพมหานคร\nสมหญิง,เชียงใหม่\n", ["tis-620", "iso-8859-11"]),
    ("名前,都市\n山田太郎,東京\nこれは日本語のテキストです。,大阪\n", ["shift_jis", "euc-jp", "iso-2022-jp"]),
    ("이름,도시\n김철수,서울특별시\n안녕하세요 반갑습니다,부산\n", ["euc-kr", "iso-2022-kr"]),
    ("省,市,人口\n京,甲,100\n津,乙,200\n沪,丙,300\n渝,丁,400\n冀,戊,500\n", ["gb18030", "gb2312"]),
    ("姓名,城市\n张伟,北京\n这是一个简单的中文句子，我们在学习。,上海\n", ["gb18030", "gb2312"]),
    ("姓名,城市\n王小明,臺北\n這是一個簡單的中文句子，我們在學習。,高雄\n", ["big5", "euc-tw"]),
    ("vardas,miestas\nŽydrūnas,Šiauliai\nJūratė,Panevėžys\nĄžuolas,Kėdainiai\n", ["windows-1257", "iso-8859-13"]),
  ]

  @Test("texts are told by their letters", arguments: texts.indices) func languages(_ index: Int) throws {
    let (text, encodings) = Self.texts[index]
    for name in encodings {
      let encoded = try #require(iconv(Array(text.utf8), from: "UTF-8", to: name), "\(name)")
      #expect(encoded.fault == nil, "\(name)")
      let guess = encoded.text.withUnsafeBytes { EncodingDetector.detect($0, isWhole: true) }
      let found = try? decoded(ByteSource(bytes: encoded.text), .detect)
      let clue: Comment = "\(name) was taken for \(guess.map { "\($0)" } ?? "nothing")"
      #expect(found.map { String(decoding: $0, as: UTF8.self) } == text, clue)
    }
  }

  @Test("a few Chinese characters that may be Korean, and Latin text with characters of UTF-8, are doubted")
  func doubted() throws {
    let chinese = try #require(iconv(Array("北京,广州\n安徽,福建\n".utf8), from: "UTF-8", to: "gbk")).text
    let guess = try #require(chinese.withUnsafeBytes { EncodingDetector.detect($0, isWhole: true) })
    #expect(
      guess.encoding.name == "gb18030" && guess.confidence <= 0.5 && guess.evidence.contains("may be euc-"), "\(guess)")
    let rows = "id,name\n1,Größe\n2,Ähre\n3,Köln\n"
    let latin = try #require(iconv(Array(rows.utf8), from: "UTF-8", to: "iso-8859-1")).text
    let clean = try #require(CSVDialectDetector.detect(sample: latin, isWhole: true))
    #expect(!clean.evidence.contains { $0.contains("would be right in utf-8") })
    let mixed = try #require(CSVDialectDetector.detect(sample: latin + Array("4,Müller\n".utf8), isWhole: true))
    #expect(!mixed.isCertain)
    #expect(
      mixed.evidence.contains { $0.contains("but 1 character of it would be right in utf-8") }, "\(mixed.evidence)")
  }

  @Test("Romanian letters that windows-1250 and ISO 8859-16 have for the same bytes are doubted; Vietnamese is told")
  func rivals() throws {
    let text =
      "oraș;țară\nBucurești;România\nIași;România\nConstanța;România\nPloiești;România\nBăile Felix;România\n"
    let romanian = try #require(iconv(Array(text.utf8), from: "UTF-8", to: "iso-8859-16")).text
    let guess = try #require(romanian.withUnsafeBytes { EncodingDetector.detect($0, isWhole: true) })
    #expect(guess.encoding.name == "iso-8859-16" || guess.hasRival, "\(guess)")
    let dialect = try #require(CSVDialectDetector.detect(sample: romanian, isWhole: true))
    #expect(!dialect.isCertain && dialect.encodingDoubt?.contains("iso-8859-16") == true, "\(dialect.evidence)")
    // The tones of Vietnamese are characters of their own there.
    let written = "tên;nơi\nNguyê\u{303}n Văn Hùng;Hà Nô\u{323}i\nTrâ\u{300}n Thi\u{323} Mai;Đà Nă\u{303}ng\n"
    let vietnamese = try #require(iconv(Array(written.utf8), from: "UTF-8", to: "windows-1258"))
    #expect(vietnamese.fault == nil)
    let found = vietnamese.text.withUnsafeBytes { EncodingDetector.detect($0, isWhole: true) }
    #expect(found?.encoding.name == "windows-1258", "\(String(describing: found))")
    // German is certain: no other encoding has other letters of it.
    let german = "ort;land\nKöln;Österreich\nMünchen;Größe\nZürich;Straße\n".unicodeScalars.map { UInt8($0.value) }
    #expect(german.withUnsafeBytes { EncodingDetector.detect($0, isWhole: true) }?.hasRival == false)
  }

  @Test("a few names of several western languages make no rare encoding of a text")
  func mixedNames() throws {
    for text in [
      "id,name\n1,Søren Smith\n2,Elif Müller\n3,José Nowak\n4,Björn Li\n",
      "name;city\nBjörn García;Zürich\nRenée Li;San José\n",
      "id,name\r\n1,x\r\n2,\"é\"\r\n", "id,name\n1,Zoë\n2,Bo\n",
      "1,Chloé Dubois,Málaga\n2,Håkon Müller,São Paulo\n3,Tomás Jensen,Oslo\n",
    ] {
      let encoded = try #require(iconv(Array(text.utf8), from: "UTF-8", to: "iso-8859-1")).text
      let found = try decoded(ByteSource(bytes: encoded), .detect)
      #expect(String(decoding: found, as: UTF8.self) == text)
    }
  }

  @Test(
    "signs, units and a word or two make no other language of a text, however often they stand there",
    arguments: [
      "€ #", "# €", "#€", "10 € ±# °C", "#°C", "# °F", "# m²", "#m³", "# µm", "# µg/m³", "#½", "±#", "# × 5", "nº #",
      "#ª", "£#", "¥#", "#¢", "§ #", "#‰", "#÷2", "#\u{A0}000", "#\u{A0}€", "# – 7", "it’s #", "“#”", "it’s “#” – ok",
      "more… #", "« oui » #", "Foo™ #", "Foo® #", "© #", "• #", "Ø # mm", "# Å", "café #", "Zürich #", "año #",
      "Straße #", "ø#",
    ], [2, 20, 200])
  func signs(_ text: String, _ rows: Int) throws {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    let file = "id;v\n" + (0..<rows).map { "\($0);\(parts.joined(separator: "\($0)"))\n" }.joined()
    let encoded = try #require(iconv(Array(file.utf8), from: "UTF-8", to: "windows-1252"))
    let found = try decoded(ByteSource(bytes: encoded.text), .detect)
    #expect(String(decoding: found, as: UTF8.self) == file)
  }

  @Test(
    "a word or two of another language make one",
    arguments: [
      ("Łódź", "windows-1250"), ("Paweł", "iso-8859-2"), ("Žilina", "windows-1250"), ("Ayşe", "windows-1254"),
      ("Москва", "windows-1251"), ("Да", "windows-1251"), ("Да", "koi8-r"), ("Αθήνα", "windows-1253"),
      ("שלום", "windows-1255"), ("مرحبا", "windows-1256"), ("größe", "ibm850"), ("서울", "euc-kr"), ("上海", "gb18030"),
      ("名前", "shift_jis"),
    ])
  func words(_ word: String, _ name: String) throws {
    let text = "id;v\n" + (0..<30).map { "\($0);\(word) \($0)\n" }.joined()
    let encoded = try #require(iconv(Array(text.utf8), from: "UTF-8", to: name))
    let found = try decoded(ByteSource(bytes: encoded.text), .detect)
    #expect(String(decoding: found, as: UTF8.self) == text)
  }

  @Test(
    "what leaves no choice is told as it is",
    arguments: [
      ([], "utf-8"), (Array("plain".utf8), "utf-8"), (Array("größe".utf8), "utf-8"),
      (Array("gr".utf8) + [0xC3], "utf-8"), ([0xEF, 0xBB, 0xBF, 0x61], "utf-8"),
    ] as [([UInt8], String)])
  func certain(_ bytes: [UInt8], _ name: String) {
    let guess = bytes.withUnsafeBytes { EncodingDetector.detect($0, isWhole: false) }
    #expect(guess?.encoding.name == name && guess?.confidence == 1)
  }

  @Test("a NUL byte makes no UTF-16 of a text, and wide texts stay what they are")
  func strayNULs() {
    for text in ["id,name\n1,a\0b\n2,c\n", "größe,1\n\0,2\ngröße,3\n"] {
      let guess = Array(text.utf8).withUnsafeBytes { EncodingDetector.detect($0, isWhole: true) }
      #expect(guess?.encoding == .utf8, "\(text)")
    }
    for (text, _) in Self.texts {
      for lowFirst in [true, false] {
        let bytes = text.utf16.flatMap { unit -> [UInt8] in
          let (low, high) = (UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8))
          return lowFirst ? [low, high] : [high, low]
        }
        let guess = bytes.withUnsafeBytes { EncodingDetector.detect($0, isWhole: true) }
        // Letters that no model knows may leave it open.
        #expect(guess.map { $0.encoding == (lowFirst ? .utf16LittleEndian : .utf16BigEndian) } != false, "\(text)")
      }
    }
  }

  @Test func `bytes that are no text have no encoding`() {
    var random = SeededGenerator(seed: 1)
    let noise = (0..<3000).map { _ in UInt8.random(in: 0...255, using: &random) }
    #expect(noise.withUnsafeBytes { EncodingDetector.detect($0, isWhole: true) } == nil)
    #expect(throws: ReadError.self) { try decoded(ByteSource(bytes: noise), .detect) }
  }

  @Test func `the first 64 KiB decide, and later faults refuse their records`() throws {
    var bytes = Array("id,name\n".utf8)
    while bytes.count < 70_000 { bytes += Array("1,M".utf8) + [0xFC] + Array("ller\n".utf8) }
    bytes += Array("2,".utf8) + [0x81, 10]
    var options = CSVOptions()
    options.encoding = .detect
    var reader = try CSVReader(source: ByteSource(bytes: bytes, chunkSize: 1000), options: options)
    var batch = RecordBatch()
    var errors: [RecordError] = []
    while try reader.read(into: &batch, limit: BatchLimit()) {
      errors += batch.errors
      if batch.recordCount > 0 { #expect(batch.text(0, 1) == "Müller") }
    }
    #expect(errors.map(\.code) == [.invalidText] && errors.first?.position.byteOffset == bytes.count - 2)
  }

  @Test("a damaged byte does not hide the encoding of all others", arguments: [2, 20, 2000])
  func damagedByte(_ rows: Int) throws {
    var text: [UInt8] = Array("id,name\n".utf8)
    for row in 0..<rows {
      text += Array("\(row),M".utf8) + [0xFC] + Array("ller aus K".utf8) + [0xF6] + Array("ln\n".utf8)
    }
    text += Array("9,x".utf8) + [0x81] + Array("y\n".utf8)
    let guess = text.withUnsafeBytes { EncodingDetector.detect($0, isWhole: true) }
    #expect(guess?.encoding == .windows1252, "\(String(describing: guess))")
    let dialect = try #require(CSVDialectDetector.detect(sample: text, isWhole: true))
    var reader = try CSVReader(source: ByteSource(bytes: text), options: dialect.options)
    var batch = RecordBatch()
    var (good, refused) = (0, 0)
    while try reader.read(into: &batch, limit: BatchLimit()) {
      good += batch.recordCount
      refused += batch.errors.count
      if batch.recordCount > 0 { #expect(batch.text(0, 1) == "Müller aus Köln") }
    }
    #expect(good == rows && refused == 1)
  }

  @Test func `names of several languages are Windows-1252, which is not certain`() throws {
    let names = [
      "Müller", "Señor Peña", "Ærø", "Françoise", "København", "Ñuñoa", "Straße", "Málaga", "Århus", "Übel", "Gårdsø",
      "Île", "Çà", "Smørrebrød", "Größe", "Año", "Noël",
    ]
    let text = "id,name,city\n" + (0..<40).map { "\($0),\(names[$0 % 17]),\(names[($0 * 5 + 3) % 17])\n" }.joined()
    // Its letters are those of Latin-1.
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    let dialect = try #require(CSVDialectDetector.detect(sample: bytes, isWhole: true))
    #expect(dialect.options.encoding == .windows1252, "\(dialect.evidence)")
    #expect(!dialect.isCertain && dialect.encodingDoubt != nil)
    #expect(try decoded(ByteSource(bytes: bytes), .detect) == Array(text.utf8))
  }
}
