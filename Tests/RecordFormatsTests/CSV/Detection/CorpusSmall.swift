/// Small files such as people put on the web, written by hand; cells are separated with `¦` and records with `⏎` in what
/// is expected.
enum CorpusSmall {
  static let all: [CorpusFile] = oneColumn + numbers + quotes + layouts + delimiters + headers

  private static func file(_ name: String, _ text: String, _ expected: String) -> CorpusFile {
    let rows = expected.split(separator: "⏎", omittingEmptySubsequences: false).map {
      $0.split(separator: "¦", omittingEmptySubsequences: false).map(String.init)
    }
    return CorpusFile("small", name, text, rows)
  }

  /// A file whose fields are what its delimiter makes of its lines.
  private static func plain(_ name: String, _ delimiter: Character, _ text: String) -> CorpusFile {
    CorpusFile(
      "small", name, text,
      text.split(separator: "\n").map {
        $0.split(separator: delimiter, omittingEmptySubsequences: false).map(String.init)
      })
  }

  private static let oneColumn: [CorpusFile] = [
    plain("words", "¦", "name\nlund\ncork\narles\ngraz\n"),
    plain("names of two words", "¦", "Ada Lind\nBo Quist\nCleo Marsh\nDov Ekman\nEva Roth\n"),
    plain("URLs", "¦", "https://a.example/x?p=1&q=2\nhttps://b.example/y?p=3&q=4\nhttp://c.example:8080/z?p=5&q=6\n"),
    plain("times", "¦", "12:30:00\n12:45:10\n13:00:20\n13:15:30\n"),
    plain("times with a name", "¦", "time\n12:30\n12:45\n13:00\n13:15\n"),
    plain("dates", "¦", "2024-01-05\n2024-01-06\n2024-01-07\n"),
    plain("moments", "¦", "2024-01-05 12:30:00\n2024-01-06 12:30:00\n2024-01-07 12:30:00\n"),
    plain("mail", "¦", "ada@lind.example\nbo@quist.example\ncleo@marsh.example\n"),
    plain("integers", "¦", "5\n17\n23\n42\n"), plain("decimals", "¦", "value\n1.5\n2.25\n3.125\n"),
    plain("addresses", "¦", "10.0.0.1\n10.0.0.2\n192.168.1.17\n"),
    plain(
      "prose", "¦",
      "It was late, and the harbour slept.\nNobody came. The lamp, old and dim, went out!\nA boat: small, grey, alone.\nThe end\n"
    ),
    plain("one value", "¦", "hello\n"), plain("one number", "¦", "42\n"),
    plain("identifiers", "¦", "AB-1\nAB-2\nAC-17\nAD-4\n"), plain("paths", "¦", "/usr/bin/env\n/usr/lib\n/opt/a/b/c\n"),
    file("quoted with commas", "\"Lind, Ada\"\n\"Quist, Bo\"\n\"Marsh, Cleo\"\n", "Lind, Ada⏎Quist, Bo⏎Marsh, Cleo"),
    plain("versions", "¦", "1.2.3\n1.2.4\n2.0.0\n10.1.0\n"),
  ]

  private static let numbers: [CorpusFile] = [
    plain("decimal commas", ";", "1,5;2,5\n3,25;4,75\n5,5;6,125\n"),
    plain("decimal commas in three columns", ";", "1,5;2,5;3,5\n3,25;4,75;1,0\n5,5;6,125;0,5\n"),
    plain("German", ";", "Ort;Umsatz;Anteil\nLund;1.234,56;12,5 %\nCork;987,00;3,1 %\nGraz;12.000,10;44,0 %\n"),
    plain("French", ";", "ville;population;part\nArles;52 548;1,25\nLyon;513 275;12,5\nNice;342 522;8,125\n"),
    plain("commas in a tab file", "\t", "id\tprice\n1\t1,250.00\n2\t3,999.50\n3\t12,000.10\n"),
    file(
      "quoted thousands", "year,total\n2020,\"1,234\"\n2021,\"2,345\"\n2022,\"13,456\"\n",
      "year¦total⏎2020¦1,234⏎2021¦2,345⏎2022¦13,456"),
    plain("pairs of integers", ",", "1,5\n2,7\n3,9\n4,2\n"),
    plain("a matrix", " ", "1.0 2.0 3.0\n4.5 5.5 6.5\n7.25 8.25 9.25\n"),
    plain("measurements", ",", "2024-01-01 00:00:00,1.5\n2024-01-01 01:00:00,1.7\n2024-01-01 02:00:00,2.1\n"),
    plain("moments and ids", "|", "2024-01-01 00:00|17|ok\n2024-01-01 01:00|18|ok\n2024-01-01 02:00|19|late\n"),
    plain("times in a semicolon file", ";", "stop;arrives\nHarbour;07:15\nMarket;07:22\nDepot;07:31\n"),
    plain("money", ",", "item,price\nlamp,$12.50\nquilt,$99.00\nsail,$450.25\n"),
    plain("places", ",", "lat,lon\n55.70,13.19\n51.90,-8.47\n47.07,15.44\n"),
    plain("booleans", ",", "a,b,c\ntrue,false,true\nfalse,false,true\n"),
    plain("years as names", ",", "country,2019,2020,2021\nIceland,356,364,368\nIreland,4934,4985,5028\n"),
    plain("negative numbers", "\t", "-1.5\t-2\t3\n4\t-5.25\t-6\n-7\t8\t-9.5\n"),
    plain("exponents", ",", "1.5e-3,2E5\n3.25e-4,1E6\n-1.0e+2,5E-7\n"),
    plain("shares", ";", "Partei;Stimmen;Prozent\nBlau;1200;33,3%\nRot;900;25,0%\nGrau;1500;41,7%\n"),
    plain("zones", ",", "id,at\n1,2024-01-01T10:00:00Z\n2,2024-01-01T11:30:00+02:00\n3,2024-01-02T00:00:00Z\n"),
  ]

  private static let quotes: [CorpusFile] = [
    file("all quoted", "\"a\";\"b\"\n\"1\";\"x\"\n\"2\";\"y; z\"\n", "a¦b⏎1¦x⏎2¦y; z"),
    file("single quotes", "'a','b'\n'1','x, y'\n'2','z'\n", "a¦b⏎1¦x, y⏎2¦z"),
    plain("apostrophes", ",", "name,age\nO'Brien,5\nD'Arcy,6\nN'Golo,7\n"),
    plain("inches", "\t", "item\tsize\ndisk\t5\" floppy\ntube\t19\" colour\nlamp\t3\" tall\n"),
    plain("JSON in a semicolon file", ";", "1;{\"a\":1,\"b\":[1,2]}\n2;{\"a\":2,\"b\":[3]}\n3;{\"a\":3,\"b\":[]}\n"),
    file(
      "JSON in quotes", "id,data\n1,\"{\"\"a\"\": 1, \"\"b\"\": 2}\"\n2,\"{\"\"a\"\": 3}\"\n",
      "id¦data⏎1¦{\"a\": 1, \"b\": 2}⏎2¦{\"a\": 3}"),
    file(
      "backslashes before quotes", "id,said\n1,\"he \\\"really\\\" said, yes\"\n2,\"no\"\n3,\"well, \\\"maybe\\\"\"\n",
      "id¦said⏎1¦he \"really\" said, yes⏎2¦no⏎3¦well, \"maybe\""),
    plain("paths of Windows", ",", "file,size\nC:\\temp\\a.txt,12\nC:\\temp\\b.txt,15\nD:\\x\\,3\n"),
    file("paths in quotes", "\"C:\\temp\\\",1\n\"D:\\x\\\",2\n\"E:\\\",3\n", "C:\\temp\\¦1⏎D:\\x\\¦2⏎E:\\¦3"),
    file("MySQL", "\"1\";\"a \"\"b\"\"\";\\N\n\"2\";\"c\";\\N\n\"3\";\"d\";\"e\"\n", "1¦a \"b\"¦\\N⏎2¦c¦\\N⏎3¦d¦e"),
    file(
      "line ends in quotes", "id,text\n1,\"one\ntwo, three\"\n2,\"four\n\nfive\"\n3,six\n",
      "id¦text⏎1¦one\ntwo, three⏎2¦four\n\nfive⏎3¦six"),
    file("a name of two lines", "\"id\",\"long\nname\"\n1,2\n3,4\n", "id¦long\nname⏎1¦2⏎3¦4"),
    plain("HTML", "|", "1|<b>x</b>; &amp; y, z|5\n2|<i>a</i>&nbsp;b|6\n3|c, d, e|7\n"),
    file("a mark and quotes", "\u{FEFF}\"a\",\"b\"\n\"1\",\"2\"\n\"3\",\"4\"\n", "a¦b⏎1¦2⏎3¦4"),
    file("empty quotes", "a,b,c\n\"\",\"\",1\n\"x\",\"\",2\n", "a¦b¦c⏎¦¦1⏎x¦¦2"),
    plain("lists of Python", ";", "1;['a', 'b'];x\n2;['c'];y\n3;['d', 'e'];z\n"),
    file("blanks before quotes", "a, \"b\", c\n1, \"x, y\", 2\n3, \"z\", 4\n", "a¦b¦c⏎1¦x, y¦2⏎3¦z¦4"),
    plain("quoted words in prose", "\t", "1\tthe \"old\" one\n2\tnone\n3\ta \"new\" one\n"),
  ]

  private static let layouts: [CorpusFile] = [
    file("Excel's hint", "sep=;\na;b;c\n1;2;3\n4;5;6\n", "a¦b¦c⏎1¦2¦3⏎4¦5¦6"),
    file(
      "values above",
      "Station,Lund\nUnit,degC\n\nday,temp,hum\n2024-01-01,1.5,30\n2024-01-02,2.5,31\n2024-01-03,0.5,35\n",
      "day¦temp¦hum⏎2024-01-01¦1.5¦30⏎2024-01-02¦2.5¦31⏎2024-01-03¦0.5¦35"),
    file(
      "values right above",
      "Station,Lund\nUnit,degC\nday,temp,hum\n2024-01-01,1.5,30\n2024-01-02,2.5,31\n2024-01-03,0.5,35\n",
      "day¦temp¦hum⏎2024-01-01¦1.5¦30⏎2024-01-02¦2.5¦31⏎2024-01-03¦0.5¦35"),
    file(
      "remarks", "# by: tool\n# on: 2024-05-01, at night\nid,v\n1,2\n# half\n3,4\n", "id¦v⏎1¦2⏎3¦4"),
    file("a header in a remark", "#id,v,w\n1,2,3\n4,5,6\n", "#id¦v¦w⏎1¦2¦3⏎4¦5¦6"),
    file("remarks and a header in one", "# made by a tool\n#id,v,w\n1,2,3\n4,5,6\n", "#id¦v¦w⏎1¦2¦3⏎4¦5¦6"),
    plain("numbers with a hash", ",", "#1,lamp\n#2,quilt\n#3,sail\n"),
    file("double spaced", "a,b\n\n1,2\n\n3,4\n\n", "a¦b⏎1¦2⏎3¦4"),
    file("a total", "item,count\nlamp,3\nquilt,4\nsail,7\nTotal 14\n", "item¦count⏎lamp¦3⏎quilt¦4⏎sail¦7"),
    file("one record", "1,2,3", "1¦2¦3"), file("one line of names", "id,name,price\n", "id¦name¦price"),
    file("decimal commas behind commas and blanks", "1,5, 2,5\n3,25, 4\n7, 8,75\n", "1,5¦2,5⏎3,25¦4⏎7¦8,75"),
    file("blanks inside all quotes", "a,b\n\" x \",1\n\" y z \",2\n\" w \",3\n", "a¦b⏎x¦1⏎y z¦2⏎w¦3"),
    file("a blank inside one pair of quotes", "a,b\n\" x \",1\n\"y\",2\n\" w \",3\n", "a¦b⏎ x ¦1⏎y¦2⏎ w ¦3"),
    file("doubled commas are empty columns", "1,,red\n2,,green\n3,,blue\n", "1¦¦red⏎2¦¦green⏎3¦¦blue"),
    file("an arrow", "from=>to\nBern=>Graz\nLund=>Cork\n", "from¦to⏎Bern¦Graz⏎Lund¦Cork"),
    file("one column of two words each", "name\nred 1\ngreen 22\nblue 3\n", "name⏎red 1⏎green 22⏎blue 3"),
    plain("a delimiter at each end", ",", "a,b,c,\n1,2,3,\n4,5,6,\n"),
    file("a delimiter at the end of records", "a,b,c\n1,2,3,\n4,5,6,\n7,8,9,\n", "a¦b¦c⏎1¦2¦3⏎4¦5¦6⏎7¦8¦9"),
    plain("sparse", ",", "a,b,c,d\n1,,,\n,,x,\n,2,,\n,,,z\n"),
    plain("pipes around", "|", "|a|b|c|\n|1|2|3|\n|4|5|6|\n"),
    file(
      "aligned", "id  ; name   ; price\n1   ; lamp   ;  9.50\n17  ; quilt  ; 12.00\n",
      "id¦name¦price⏎1¦lamp¦9.50⏎17¦quilt¦12.00"),
    plain("short records", ",", "a,b,c,d\n1,2\n3,4,5,6\n7\n8,9,10,11\n12,13,14,15\n"),
    file(
      "two tables", "id,name\n1,lamp\n2,quilt\n\nday,temp,hum\n2024-01-01,1.5,30\n2024-01-02,2.5,31\n",
      "id¦name⏎1¦lamp⏎2¦quilt"),
    file(
      "a title in a field",
      "Meetings,,,,\nWho,When,With,About,\nA. Lind,May 2024,Harbour Trust,lamps,\n,,Sail Club,,\n"
        + ",,Quilt Union,,\nB. Quist,June 2024,Orbit Ltd,copper,\n",
      "Who¦When¦With¦About¦⏎A. Lind¦May 2024¦Harbour Trust¦lamps¦⏎¦¦Sail Club¦¦⏎¦¦Quilt Union¦¦⏎B. Quist¦June 2024¦Orbit Ltd¦copper¦"
    ),
    file(
      "titles in quotes",
      "\"ID:7 Name:lamps\"\n\"C=3; O=1; E=4.15\"\n\"id\",\"name\",\"no\"\n\"q1\",\"lamp\",\"17\"\n\"q2\",\"sail\",\"18\"\n",
      "id¦name¦no⏎q1¦lamp¦17⏎q2¦sail¦18"),
    file(
      "one record of another width", "\"a b\";\"c\";\"d\"\n\"x.dat\";\"14\";\"2.5\";\"\n\"\n", "a b¦c¦d⏎x.dat¦14¦2.5¦\n"
    ),
    plain(
      "prose of several widths", ",",
      "Ada,Lund,baker\nBo,Cork,Old Quay,smith\nCleo,Graz,North End,miller\nDov,Lund,tailor\nEva,Arles,baker\n"
        + "Finn,Cork,Hill,Top,smith\nGro,Graz,baker\nHal,Lund,cook\n"),
    file("pages", "id,v\n1,2\n3,4\n\nid,v\n5,6\n7,8\n", "id¦v⏎1¦2⏎3¦4⏎5¦6⏎7¦8"),
    file(
      "a title and a remark", "Sales of 2024; all shops\n\nshop;sum\nLund;12\nCork;17\n\nSource: the office\n",
      "shop¦sum⏎Lund¦12⏎Cork¦17"),
  ]

  private static let delimiters: [CorpusFile] = [
    plain("accounts", ":", "root:x:0:0:root:/root:/bin/bash\nbin:x:2:2:bin:/bin:/bin/sh\nsys:x:3:3:sys:/dev:/bin/sh\n"),
    plain("a dictionary", ":", "en:English\nde:German\nfr:French\nis:Icelandic\n"),
    plain("settings", "=", "host=example\nport=8080\nuser=ada\ndepth=17\n"),
    plain("carets", "^", "id^name^sum\n1^lamp, red^2.5\n2^quilt^3.5\n"),
    plain("tildes", "~", "1~lamp; old~2.5\n2~quilt~3.5\n3~sail~1.0\n"),
    plain("control characters", "\u{1}", "1\u{1}a, b\u{1}2.5\n2\u{1}c\u{1}3.5\n3\u{1}d\u{1}4.5\n"),
    plain("unit separators", "\u{1F}", "1\u{1F}a, b\u{1F}2.5\n2\u{1F}c\u{1F}3.5\n"),
    plain("prose in a tab file", "\t", "id\ttext\n1\tone, two, three\n2\tfour, five\n3\tsix; seven\n"),
    plain("prose in a semicolon file", ";", "id;text\n1;one, two, three\n2;four, five\n3;six\n"),
    plain("prose in a pipe file", "|", "1|It was late, and cold.|5\n2|Nobody came; why?|6\n3|The end|7\n"),
    plain("mail in a semicolon file", ";", "Lind, Ada;ada@lind.example\nQuist, Bo;bo@quist.example\n"),
    plain("ports", ",", "host,up\n10.0.0.1:80,true\n10.0.0.2:443,false\n10.0.0.3:8080,true\n"),
    plain("URLs and counts", ",", "url,hits\nhttps://a.example/?x=1&y=2,17\nhttps://b.example/#top,3\n"),
    plain("tabs and blanks", "\t", "first name\tlast name\tyear\nAda Mae\tLind\t1990\nBo\tvan Quist\t1985\n"),
    plain("ampersands", "&", "1&lamp&2.5\n2&quilt&3.5\n3&sail&4.5\n4&orbit&7.5\n"),
    plain("names and commas", ",", "Lind,Ada\nQuist,Bo\nMarsh,Cleo\n"),
    plain("tags", ",", "lamp,#red\nquilt,#blue\nsail,#white\n"),
  ]

  private static let headers: [CorpusFile] = [
    plain("an index without a name", ",", ",a,b\n0,1.5,2\n1,2.5,3\n2,3.5,4\n"),
    plain("names twice", ",", "id,value,value\n1,2,3\n4,5,6\n"),
    plain("names that differ in case", ",", "id,Value,value\n1,2,3\n4,5,6\n"),
    plain("no names", ",", "1,lamp,2.5\n2,quilt,3.5\n3,sail,4.5\n"),
    file(
      "units below", "day,mass,height\n-,kg,m\n2024-01-01,2.5,1.5\n2024-01-02,2.6,1.6\n2024-01-03,2.7,1.5\n",
      "day -¦mass kg¦height m⏎2024-01-01¦2.5¦1.5⏎2024-01-02¦2.6¦1.6⏎2024-01-03¦2.7¦1.5"),
    file(
      "groups above", "shop,sales,sales,costs\nname,first,second,all\nLund,12,13,5\nCork,17,18,6\nGraz,4,5,1\n",
      "shop name¦sales first¦sales second¦costs all⏎Lund¦12¦13¦5⏎Cork¦17¦18¦6⏎Graz¦4¦5¦1"),
    plain("missing values", ",", "id,temp\n1,NA\n2,3.5\n3,4.5\n4,NA\n5,1.5\n"),
    plain("the country Namibia", ",", "name,code\nNamibia,NA\nFrance,FR\nIreland,IE\n"),
    plain("row names", " ", "mpg cyl disp\nMazda 21.0 6 160\nDatsun 22.8 4 108\nFiat 32.4 4 78.7\n"),
  ]
}
