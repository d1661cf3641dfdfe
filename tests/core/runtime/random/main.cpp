#define BOOST_TEST_MODULE random
#include <boost/test/unit_test.hpp>
