#ifndef MERGEWALK_ICU_H
#define MERGEWALK_ICU_H

#include <stddef.h>
#include <stdint.h>
// Macros only: ICU's names carry its version (`ucol_open_72`), which Swift does not see. The types of ICU's other
// headers would clash with those of Foundation's own copy of ICU, so what is used is declared here with C's types:
// enumerations are `int`, characters `uint16_t` and `int32_t`, truth values `int8_t`.
#include <unicode/urename.h>

extern uint16_t *u_strFromUTF8WithSub(uint16_t *, int32_t, int32_t *, const char *, int32_t, int32_t, int32_t *, int *);
extern char *u_strToUTF8WithSub(char *, int32_t, int32_t *, const uint16_t *, int32_t, int32_t, int32_t *, int *);
extern int32_t u_strFoldCase(uint16_t *, int32_t, const uint16_t *, int32_t, uint32_t, int *);
extern int8_t u_charType(int32_t);
extern int8_t u_isUAlphabetic(int32_t);
extern int8_t u_isUWhiteSpace(int32_t);
extern const char *u_errorName(int);
extern const void *unorm2_getNFCInstance(int *);
extern const void *unorm2_getNFDInstance(int *);
extern int32_t unorm2_normalize(const void *, const uint16_t *, int32_t, uint16_t *, int32_t, int *);
extern int8_t unorm2_hasBoundaryBefore(const void *, int32_t);
extern void *ucol_open(const char *, int *);
extern void ucol_close(void *);
extern void ucol_setAttribute(void *, int, int, int *);
extern int ucol_strcollUTF8(const void *, const char *, int32_t, const char *, int32_t, int *);
extern int32_t ucol_getSortKey(const void *, const uint16_t *, int32_t, uint8_t *, int32_t);
extern void *uregex_open(const uint16_t *, int32_t, uint32_t, void *, int *);
extern void uregex_close(void *);
extern void uregex_setTimeLimit(void *, int32_t, int *);
extern void uregex_setStackLimit(void *, int32_t, int *);
extern void uregex_setText(void *, const uint16_t *, int32_t, int *);
extern int8_t uregex_matches(void *, int32_t, int *);
extern int8_t uregex_find(void *, int32_t, int *);
extern int8_t uregex_findNext(void *, int *);
extern int32_t uregex_groupCount(void *, int *);
extern int32_t uregex_start(void *, int32_t, int *);
extern int32_t uregex_end(void *, int32_t, int *);
extern int32_t uregex_replaceAll(void *, const uint16_t *, int32_t, uint16_t *, int32_t, int *);

/// glibc declares it for GNU sources only.
extern void *memmem(const void *text, size_t count, const void *part, size_t partCount);

/// Where the part first occurs in the text, or null; in linear time.
static inline const void *mergewalk_find(const void *text, size_t count, const void *part, size_t partCount) {
  return memmem(text, count, part, partCount);
}

// A status is 0 on entry; it is above 0 after a failure.
enum {
  mergewalk_bufferOverflow = 15,  // U_BUFFER_OVERFLOW_ERROR
  mergewalk_nonspacingMark = 6,   // U_NON_SPACING_MARK
};

static inline const char *mergewalk_errorName(int status) { return u_errorName(status); }

// MARK: Texts. Functions that fill a buffer return the room they need.

static inline int32_t mergewalk_fromUTF8(const char *bytes, int32_t count, uint16_t *units, int32_t capacity,
                                         int *status) {
  int32_t needed = 0;
  u_strFromUTF8WithSub(units, capacity, &needed, bytes, count, 0xFFFD, NULL, status);
  return needed;
}

static inline int32_t mergewalk_toUTF8(const uint16_t *units, int32_t count, char *bytes, int32_t capacity,
                                       int *status) {
  int32_t needed = 0;
  u_strToUTF8WithSub(bytes, capacity, &needed, units, count, 0xFFFD, NULL, status);
  return needed;
}

static inline int32_t mergewalk_decompose(const uint16_t *units, int32_t count, uint16_t *result, int32_t capacity,
                                          int *status) {
  const void *normalizer = unorm2_getNFDInstance(status);
  return *status > 0 ? 0 : unorm2_normalize(normalizer, units, count, result, capacity, status);
}

static inline int32_t mergewalk_compose(const uint16_t *units, int32_t count, uint16_t *result, int32_t capacity,
                                        int *status) {
  const void *normalizer = unorm2_getNFCInstance(status);
  return *status > 0 ? 0 : unorm2_normalize(normalizer, units, count, result, capacity, status);
}

static inline int32_t mergewalk_foldCase(const uint16_t *units, int32_t count, uint16_t *result, int32_t capacity,
                                         int *status) {
  return u_strFoldCase(result, capacity, units, count, 0 /* U_FOLD_CASE_DEFAULT */, status);
}

// MARK: Characters

/// The number of the general category (UCharCategory).
static inline int32_t mergewalk_category(int32_t character) { return u_charType(character); }
static inline int32_t mergewalk_isAlphabetic(int32_t character) { return u_isUAlphabetic(character); }
static inline int32_t mergewalk_isWhiteSpace(int32_t character) { return u_isUWhiteSpace(character); }

/// Whether nothing before the character can change it or be changed by it in the composed form.
static inline int32_t mergewalk_beginsSegment(int32_t character) {
  int status = 0;
  const void *normalizer = unorm2_getNFCInstance(&status);
  return status <= 0 && unorm2_hasBoundaryBefore(normalizer, character);
}

// MARK: Collation

/// The root collator. The strength is 0 (letters), 1 (and accents) or 2 (and case); with a case level, case counts
/// beside any strength; numeric orders digits by the number they make.
static inline void *mergewalk_openCollator(int strength, int hasCaseLevel, int isNumeric) {
  int status = 0;
  void *collator = ucol_open("root", &status);
  if (status > 0) return NULL;
  ucol_setAttribute(collator, 5 /* UCOL_STRENGTH */, strength, &status);
  ucol_setAttribute(collator, 4 /* UCOL_NORMALIZATION_MODE */, 17 /* UCOL_ON */, &status);
  if (hasCaseLevel) ucol_setAttribute(collator, 3 /* UCOL_CASE_LEVEL */, 17 /* UCOL_ON */, &status);
  if (isNumeric) ucol_setAttribute(collator, 7 /* UCOL_NUMERIC_COLLATION */, 17 /* UCOL_ON */, &status);
  return collator;
}

static inline void mergewalk_closeCollator(void *collator) { ucol_close(collator); }

/// -1, 0 or 1.
static inline int32_t mergewalk_collate(const void *collator, const char *left, int32_t leftCount, const char *right,
                                        int32_t rightCount, int *status) {
  return ucol_strcollUTF8(collator, left, leftCount, right, rightCount, status);
}

/// The size of the sort key with its final zero byte.
static inline int32_t mergewalk_sortKey(const void *collator, const uint16_t *units, int32_t count, uint8_t *key,
                                        int32_t capacity) {
  return ucol_getSortKey(collator, units, count, key, capacity);
}

// MARK: Regular expressions

static inline void *mergewalk_openRegex(const uint16_t *units, int32_t count, int ignoresCase, int *status) {
  return uregex_open(units, count, ignoresCase ? 2 /* UREGEX_CASE_INSENSITIVE */ : 0, NULL, status);
}

static inline void mergewalk_closeRegex(void *regex) { uregex_close(regex); }

static inline void mergewalk_limitRegex(void *regex, int32_t time, int32_t bytes, int *status) {
  uregex_setTimeLimit(regex, time, status);
  uregex_setStackLimit(regex, bytes, status);
}

/// Whether all of the text matches. The text is not referred to afterwards.
static inline int32_t mergewalk_matchRegex(void *regex, const uint16_t *units, int32_t count, int *status) {
  static const uint16_t nothing[1] = {0};
  int ignored = 0;
  uregex_setText(regex, units, count, status);
  int32_t result = uregex_matches(regex, 0, status);
  uregex_setText(regex, nothing, 0, &ignored);
  return *status <= 0 && result;
}

/// The number of groups of an expression.
static inline int32_t mergewalk_regexGroups(void *regex, int *status) { return uregex_groupCount(regex, status); }

/// Finds the first match; the place of a group, -1 when the group takes no part in it.
static inline int32_t mergewalk_findRegex(void *regex, const uint16_t *units, int32_t count, int32_t group,
                                          int32_t *start, int32_t *end, int *status) {
  static const uint16_t nothing[1] = {0};
  int ignored = 0;
  uregex_setText(regex, units, count, status);
  int32_t result = uregex_find(regex, 0, status) && *status <= 0;
  if (result) {
    *start = uregex_start(regex, group, status);
    *end = uregex_end(regex, group, status);
  }
  uregex_setText(regex, nothing, 0, &ignored);
  return *status <= 0 && result;
}

/// The text with every match replaced; returns the room that it needs.
static inline int32_t mergewalk_replaceRegex(void *regex, const uint16_t *units, int32_t count,
                                             const uint16_t *replacement, int32_t replacementCount, uint16_t *result,
                                             int32_t capacity, int *status) {
  static const uint16_t nothing[1] = {0};
  int ignored = 0;
  uregex_setText(regex, units, count, status);
  int32_t needed = uregex_replaceAll(regex, replacement, replacementCount, result, capacity, status);
  uregex_setText(regex, nothing, 0, &ignored);
  return needed;
}

#endif
