#define BOOST_TEST_MODULE describe
#include <boost/test/unit_test.hpp>
