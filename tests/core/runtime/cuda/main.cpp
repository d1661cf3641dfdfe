#define BOOST_TEST_MODULE cuda_backend
#include <boost/test/unit_test.hpp>

#include <cstdlib>

namespace {

/// Names the backend library before the first device is opened.
struct NameBackend {
  NameBackend() { ::setenv("HEADROOM_CUDA_BACKEND", HEADROOM_BACKEND, 1); }
};
BOOST_TEST_GLOBAL_FIXTURE(NameBackend);

}  // namespace
