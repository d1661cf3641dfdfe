#define BOOST_TEST_MODULE core_io
#include <boost/test/unit_test.hpp>
