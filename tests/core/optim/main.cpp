#define BOOST_TEST_MODULE headroom_optim
#include <boost/test/unit_test.hpp>
