#define BOOST_TEST_MODULE headroom_models
#include <boost/test/unit_test.hpp>
