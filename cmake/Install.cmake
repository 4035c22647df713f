# cmake --install: the program, its recipes, and the float libraries with their headers for programs that add to them.
# The targets keep their names without a namespace, as $<TARGET_OBJECTS:...> in an exported file knows no other;
# LocusConfig.cmake gives them one.
include(CMakePackageConfigHelpers)

install(TARGETS locus)
install(EXPORT Locus FILE LocusTargets.cmake DESTINATION lib/cmake/Locus)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/LocusConfig.cmake DESTINATION lib/cmake/Locus)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/LocusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/LocusConfigVersion.cmake DESTINATION lib/cmake/Locus)
install(DIRECTORY framework models data DESTINATION include/locus FILES_MATCHING PATTERN "*.h")
install(DIRECTORY recipes/engine DESTINATION include/locus/recipes FILES_MATCHING PATTERN "*.h")
install(DIRECTORY scripts/commands DESTINATION include/locus/scripts FILES_MATCHING PATTERN "*.h")
install(DIRECTORY recipes DESTINATION share/locus FILES_MATCHING PATTERN "*.yaml" PATTERN engine EXCLUDE)
