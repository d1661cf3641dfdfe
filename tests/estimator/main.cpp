#define BOOST_TEST_MODULE estimator
#include <boost/test/unit_test.hpp>
