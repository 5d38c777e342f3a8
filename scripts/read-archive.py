#!/usr/bin/env python3
"""Prints the model that NSKeyedArchiver wrote, one line a fact: of a .mom file, or of a store's Z_MODELCACHE.

It was written from the format and shares no code with Mergewalk, whose tests hold its archives against Core Data's with it.

    scripts/read-archive.py STORE.sqlite | diff - <(scripts/read-archive.py OTHER.sqlite)
"""
import plistlib, sqlite3, sys, zlib

# What is there for Core Data's own use, or repeats something else.
PLACES = {"$class", "NSEntity", "NSManagedObjectModel", "NSFetchIndexDescription", "NSSuperentity", "NSSubentities",
          "NSDestinationEntity", "NSInverseRelationship", "NSProperties", "NSFetchIndexDescriptions", "NSCompoundIndexes"}


class Archive:
    def __init__(self, data):
        plist = plistlib.loads(data)
        assert plist["$archiver"] == "NSKeyedArchiver" and plist["$version"] == 100000, "no keyed archive"
        self.objects = plist["$objects"]
        self.root = self.get(plist["$top"]["root"])

    def get(self, value):
        if not isinstance(value, plistlib.UID):
            return value
        return None if value.data == 0 else self.objects[value.data]

    def name(self, thing):
        return self.get(thing["$class"])["$classname"]

    def pairs(self, table):
        """The pairs of a dictionary, in whichever of the two forms."""
        table = self.get(table)
        if table is None:
            return []
        if "NS.keys" in table:
            keys, values = table["NS.keys"], table["NS.objects"]
        else:
            keys = self.get(self.get(table["searchMapping"])["keys"])["NS.objects"]
            values = self.get(table["values"])["NS.objects"]
        return [(self.get(key), self.get(value)) for key, value in zip(keys, values)]

    def items(self, array):
        array = self.get(array)
        return [] if array is None else [self.get(item) for item in array["NS.objects"]]

    def text(self, value, depth=0):
        """A value in words; entities and properties by their names."""
        value = self.get(value)
        if isinstance(value, dict) and "$class" in value:
            kind = self.name(value)
            if "NSEntityName" in value:
                return "entity " + self.get(value["NSEntityName"])
            if depth and "NSPropertyName" in value and "NSFetchIndexElementType" not in value \
                    and kind != "NSExpressionDescription":
                return "property " + self.get(value["NSPropertyName"])
            if "NS.keys" in value or "searchMapping" in value:
                inner = ", ".join(f"{key}: {self.text(item, depth + 1)}" for key, item in sorted(self.pairs(value)))
                return f"{{{inner}}}"
            if "NS.objects" in value:
                return "[" + ", ".join(self.text(item, depth + 1) for item in value["NS.objects"]) + "]"
            if "NS.string" in value:
                return repr(self.get(value["NS.string"]))
            if depth > 20:
                return "..."
            # Expressions are numbered as they come, which differs with the order of entities.
            hidden = {"NSPropertyName", "NSRenamingIdentifier"} if kind == "NSExpressionDescription" else set()
            parts = [f"{key}={self.text(item, depth + 1)}" for key, item in sorted(value.items())
                     if key not in PLACES | hidden]
            return kind + "(" + " ".join(parts) + ")"
        if isinstance(value, bool):
            return "1" if value else "0"
        return repr(value)

    def lines(self):
        assert self.name(self.root) == "NSManagedObjectModel", "no model"
        result = []
        for name, entity in self.pairs(self.root["NSEntities"]):
            for key in entity:
                if key not in PLACES:
                    result.append(f"{name} {key}={self.text(entity[key], 1)}")
            parent = self.get(entity.get("NSSuperentity"))
            if parent:
                result.append(f"{name} inherits from {self.get(parent['NSEntityName'])}")
            own = [(key, value) for key, value in self.pairs(entity["NSProperties"])
                   if self.name(value) != "_NSPropertyDescriptionProxy"]
            result.append(f"{name} properties in order: {', '.join(key for key, _ in own)}")
            for key, value in own:
                for inner in value:
                    if inner not in PLACES:
                        result.append(f"{name}.{key} {self.name(value)} {inner}={self.text(value[inner], 1)}")
            for index in self.items(entity.get("NSFetchIndexDescriptions")):
                elements = [self.element(item) for item in self.items(index["NSIndexElements"])]
                result.append(f"{name} index {self.get(index['NSIndexName'])}: {', '.join(elements)}"
                              f" where {self.text(index['NSPartialIndexPredicate'], 1)}")
        return sorted(result)

    def element(self, element):
        word = self.text(element["NSIndexedProperty"], 1) if "NSIndexedProperty" in element and \
            self.name(self.get(element["NSIndexedProperty"])) == "NSExpressionDescription" \
            else self.get(element["NSPropertyName"])
        return f"{word} {'ascending' if element.get('NSAscending') else 'descending'}" \
               f" {'R-tree' if self.get(element.get('NSFetchIndexElementType')) else 'binary'}"


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"SQLite format 3"):
        rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchall()
        assert rows and rows[0][0], "the store has no copy of its model"
        data = zlib.decompress(rows[0][0], -15)
    return Archive(data).lines()


if __name__ == "__main__":
    for line in read(sys.argv[1]):
        print(line)
