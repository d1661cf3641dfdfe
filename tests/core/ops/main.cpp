#define BOOST_TEST_MODULE headroom_ops
#include <boost/test/unit_test.hpp>
