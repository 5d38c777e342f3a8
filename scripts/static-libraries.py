#!/usr/bin/env python3
"""Makes a folder from which `swift build` links the system libraries statically, so that the binary runs where they are not.

    PKG_CONFIG_PATH=$(scripts/static-libraries.py build/static) swift build ... --static-swift-stdlib

The folder has a link to each archive that the system has, and .pc files that name it. SwiftPM asks pkg-config for the paths of
libraries, and the linker takes an archive from the first folder that has one. An archive that is not there stays a shared library
and is named. `libraries.json` says for scripts/dist.py which packages the archives are from.
"""
import json, os, subprocess, sys

# The names by which Package.swift asks pkg-config, and the libraries that each needs when it is linked statically.
PACKAGES = {
    "sqlite3": ["sqlite3"], "libxml-2.0": ["xml2"], "yaml-0.1": ["yaml"], "libcrypto": ["crypto"], "libxxhash": ["xxhash"],
    "zlib": ["z"], "libzstd": ["zstd"], "liblzma": ["lzma"], "icu-i18n": ["icui18n", "icuuc", "icudata"],
}
# Linked without pkg-config: bzip2 has no .pc file, and the C++ library is the compiler's.
OTHERS = ["bz2", "stdc++"]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def owner(path):
    """The Debian package of a file and its version; the file's name where there is no dpkg."""
    try:
        package = output("dpkg", "-S", path).split(": ")[0]
        return package.split(":")[0], output("dpkg-query", "-W", "-f", "${Version}", package)
    except OSError:
        return os.path.basename(path), ""


def main():
    folder = os.path.abspath(sys.argv[1])
    os.makedirs(os.path.join(folder, "pkgconfig"), exist_ok=True)
    found = []
    for name in sum(PACKAGES.values(), []) + OTHERS:
        path = output("cc", f"-print-file-name=lib{name}.a")
        if not os.path.isabs(path):
            print(f"static-libraries: there is no lib{name}.a; it stays a shared library", file=sys.stderr)
            continue
        path = os.path.realpath(path)
        link = os.path.join(folder, f"lib{name}.a")
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(path, link)
        package, version = owner(path)
        found.append({"library": f"lib{name}.a", "package": package, "version": version})
    for package, names in PACKAGES.items():
        with open(os.path.join(folder, "pkgconfig", package + ".pc"), "w") as file:
            flags = output("pkg-config", "--cflags", package)
            libraries = " ".join("-l" + name for name in names)
            file.write(f"Name: {package}\nDescription: {package}, linked statically\nVersion: 0\n"
                       f"Cflags: {flags}\nLibs: -L{folder} {libraries}\n")
    with open(os.path.join(folder, "libraries.json"), "w") as file:
        json.dump(found, file, indent=1)
    print(os.path.join(folder, "pkgconfig"))


if __name__ == "__main__":
    main()
