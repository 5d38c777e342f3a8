#include <unicode/ucol.h>
#include <unicode/unorm2.h>
#include <unicode/uregex.h>
#include <unicode/ustring.h>

// ICU renames its functions by macros that carry its version (`ucol_open_72`), which Swift does not see; these keep
// plain names.
