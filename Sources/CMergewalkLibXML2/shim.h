/* libxml2's encoding.h shows ICU's converters when it was built with ICU; their declarations clash with those of the
   ICU inside Foundation. Nothing here touches the one structure that the switch changes (xmlCharEncodingHandler). */
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/SAX2.h>
#include <libxml/xmlerror.h>
