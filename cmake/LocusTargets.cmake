# How the libraries of Locus are built: every library exists for float (locus_NAME) and, unless it says FLOAT, for
# double (locus_NAME_f64; built only where a test asks for it). No executable links both.

get_filename_component(LOCUS_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

set(LOCUS_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Wno-restrict)  # GCC 12 sees overlaps in std::string that are not there (its bug 105329)

# -fno-math-errno and -fno-trapping-math change no value; -ffast-math is never used: masks are -inf.
set(LOCUS_FLAGS -fno-math-errno -fno-trapping-math)

# Highway: a portable baseline and run-time dispatch to SSE4, AVX2, AVX-512 and NEON; the targets between them
# would only cost compile time.
set(LOCUS_DEFINITIONS HWY_DISABLE_PCLMUL_AES
    "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")

# Under sanitizers a narrow and the wide sets are enough: the compiler takes longest there.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  string(REPLACE "HWY_SSSE3|" "HWY_SSSE3|HWY_SSE4|" LOCUS_DEFINITIONS "${LOCUS_DEFINITIONS}")
endif()

# The release preset asks for a baseline that every x86-64 server and laptop of the last fifteen years has.
if(LOCUS_PORTABLE AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND LOCUS_FLAGS -march=x86-64-v2)
endif()

function(locus_configure target scalar)
  # No program names the folder that it was built in.
  target_compile_options(${target} PRIVATE ${LOCUS_WARNINGS} ${LOCUS_FLAGS} "-fmacro-prefix-map=${LOCUS_ROOT}/=")
  target_compile_definitions(${target} PUBLIC LOCUS_SCALAR=${scalar} PRIVATE ${LOCUS_DEFINITIONS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${LOCUS_ROOT}> $<INSTALL_INTERFACE:include/locus>)
endfunction()

# locus_library(NAME SOURCES file ... [LINKS name ...] [EXTERNAL target ...] [PRIVATE target ...] [REGISTERS] [FLOAT])
#   LINKS:     other libraries of Locus, by NAME: they and what they link are the only ones whose headers may be
#              included (scripts/check_layers.py sees to it)
#   EXTERNAL:  imported targets
#   PRIVATE:   imported targets that no header includes
#   REGISTERS: the sources register themselves, so their objects go whole into every executable that links NAME
#   FLOAT:     for float only
function(locus_library name)
  cmake_parse_arguments(ARG "REGISTERS;FLOAT" "" "SOURCES;LINKS;EXTERNAL;PRIVATE" ${ARGN})
  set(scalars f32)
  if(NOT ARG_FLOAT)
    list(APPEND scalars f64)
  endif()
  foreach(scalar ${scalars})
    set(suffix "")
    if(scalar STREQUAL f64)
      set(suffix _f64)
    endif()
    set(target locus_${name}${suffix})
    set(links ${ARG_EXTERNAL})
    foreach(link ${ARG_LINKS})
      list(APPEND links locus_${link}${suffix})
    endforeach()
    if(ARG_REGISTERS)
      add_library(${target}_objects OBJECT ${ARG_SOURCES})
      locus_configure(${target}_objects ${scalar})
      target_link_libraries(${target}_objects PUBLIC ${links} PRIVATE ${ARG_PRIVATE})
      add_library(${target} INTERFACE)
      target_sources(${target} INTERFACE $<TARGET_OBJECTS:${target}_objects>)
      target_link_libraries(${target} INTERFACE ${links} ${ARG_PRIVATE})
      set(built ${target}_objects)
    else()
      add_library(${target} STATIC ${ARG_SOURCES})
      locus_configure(${target} ${scalar})
      target_link_libraries(${target} PUBLIC ${links} PRIVATE ${ARG_PRIVATE})
      set(built ${target})
    endif()
    if(scalar STREQUAL f64)
      set_target_properties(${built} PROPERTIES EXCLUDE_FROM_ALL ON)
    else()  # cmake --install takes the float libraries along
      install(TARGETS ${built} EXPORT Locus ARCHIVE DESTINATION lib OBJECTS DESTINATION lib/locus)
      if(ARG_REGISTERS)
        install(TARGETS ${target} EXPORT Locus)
      endif()
    endif()
  endforeach()
endfunction()
