# cmake --install: the program, its recipes, and the float libraries with their public headers (those that cmake/locus.h
# leads to) for programs that add to them.
# The targets keep their names without a namespace, as $<TARGET_OBJECTS:...> in an exported file knows no other;
# LocusConfig.cmake gives them one.
include(CMakePackageConfigHelpers)

install(TARGETS locus)
install(EXPORT Locus FILE LocusTargets.cmake DESTINATION lib/cmake/Locus)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/LocusConfig.cmake DESTINATION lib/cmake/Locus)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/LocusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/LocusConfigVersion.cmake DESTINATION lib/cmake/Locus)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/locus.h DESTINATION include/locus)
include(${CMAKE_CURRENT_LIST_DIR}/PublicHeaders.cmake)
locus_public_headers(public_headers cmake/locus.h)
foreach(header ${public_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION include/locus/${folder})
endforeach()
install(PROGRAMS scripts/plot.py DESTINATION bin RENAME locus-plot)
install(DIRECTORY recipes DESTINATION share/locus FILES_MATCHING PATTERN "*.yaml" PATTERN engine EXCLUDE)
