#define BOOST_TEST_MODULE trainer_data
#include <boost/test/unit_test.hpp>
