# The OTF2 library, whose packages have neither a pkg-config nor a CMake file: OTF2::OTF2. Debian calls its library
# open-trace-format2, as another project has the name.
find_path(OTF2_INCLUDE_DIR otf2/otf2.h)
find_library(OTF2_LIBRARY NAMES open-trace-format2 otf2)
if(OTF2_INCLUDE_DIR)
  file(STRINGS "${OTF2_INCLUDE_DIR}/otf2/OTF2_GeneralDefinitions.h" _lines REGEX "define OTF2_VERSION_M(AJOR|INOR)")
  list(TRANSFORM _lines REPLACE "[^0-9]*2_VERSION_M[^0-9]*" "")
  list(JOIN _lines "." OTF2_VERSION)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OTF2 REQUIRED_VARS OTF2_LIBRARY OTF2_INCLUDE_DIR VERSION_VAR OTF2_VERSION)
mark_as_advanced(OTF2_LIBRARY OTF2_INCLUDE_DIR)
if(OTF2_FOUND AND NOT TARGET OTF2::OTF2)
  add_library(OTF2::OTF2 UNKNOWN IMPORTED)
  set_target_properties(OTF2::OTF2 PROPERTIES IMPORTED_LOCATION "${OTF2_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${OTF2_INCLUDE_DIR}")
endif()
