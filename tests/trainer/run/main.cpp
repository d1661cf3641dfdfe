#define BOOST_TEST_MODULE trainer_run
#include <boost/test/unit_test.hpp>
