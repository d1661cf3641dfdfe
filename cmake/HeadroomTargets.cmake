# Helpers that every folder uses to declare its library, so that flags stay in one place.
# GCC 12 warns where nothing is wrong: -Wrestrict about "literal" + std::string (GCC PR 105651),
# -Wmaybe-uninitialized about members of temporaries that aggregates are built from (PR 105562).
add_library(headroom_flags INTERFACE)
target_include_directories(headroom_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(
  headroom_flags
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion
            -Wno-missing-field-initializers -Wno-restrict -Wno-maybe-uninitialized -Wcast-align -Woverloaded-virtual -Wimplicit-fallthrough>
            $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${HEADROOM_WERROR}>>:-Werror>)
if(HEADROOM_SANITIZE)
  if("thread" IN_LIST HEADROOM_SANITIZE AND "address" IN_LIST HEADROOM_SANITIZE)
    message(FATAL_ERROR "The address and thread sanitizers cannot be combined")
  endif()
  list(JOIN HEADROOM_SANITIZE "," _sanitizers)
  target_compile_options(headroom_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${_sanitizers}
                                                  -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(headroom_flags INTERFACE -fsanitize=${_sanitizers})
endif()

# headroom_library(<name> SOURCES ... [LINKS ...]): a static library headroom_<name> with the alias headroom::<name>.
function(headroom_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(headroom_${name} STATIC ${ARG_SOURCES})
  add_library(headroom::${name} ALIAS headroom_${name})
  target_link_libraries(headroom_${name} PUBLIC headroom_flags ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()

# headroom_test(<name> SOURCES ... LINKS ... [LABELS ...] [TIMEOUT s]): one Boost.Test program.
function(headroom_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_compile_definitions(${name} PRIVATE BOOST_TEST_DYN_LINK HEADROOM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE headroom_flags ${ARG_LINKS} Boost::unit_test_framework)
  add_test(NAME ${name} COMMAND ${name} --log_level=message)
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
