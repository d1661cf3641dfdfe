#define BOOST_TEST_MODULE ops_simulated
#include <boost/test/unit_test.hpp>
