#include <lzma.h>

/* Macros with casts, which Swift does not import. */
static const uint32_t lzma_flag_concatenated = LZMA_CONCATENATED;
static const uint32_t lzma_flag_tell_unsupported_check = LZMA_TELL_UNSUPPORTED_CHECK;
