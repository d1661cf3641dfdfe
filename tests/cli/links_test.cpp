// The program must start on machines without CUDA: the backend is loaded only when asked for.

#include <boost/test/unit_test.hpp>

#include <cstdio>

namespace headroom {
namespace {

std::string needed_libraries(const std::string& program) {
  std::string text;
  FILE* pipe = ::popen(("readelf -d " + program).c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  char line[512];
  while (std::fgets(line, sizeof(line), pipe) != nullptr) text += line;
  BOOST_REQUIRE(::pclose(pipe) == 0);
  return text;
}

BOOST_AUTO_TEST_CASE(the_program_links_no_cuda_library) {
  const std::string needed = needed_libraries(HEADROOM_PROGRAM);
  BOOST_TEST((needed.find("NEEDED") != std::string::npos));
  for (const char* library : {"libcuda", "libcudart", "libcublas", "libnvrtc"}) {
    BOOST_TEST((needed.find(library) == std::string::npos), library);
  }
}

}  // namespace
}  // namespace headroom
