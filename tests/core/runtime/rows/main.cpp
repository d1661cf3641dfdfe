#define BOOST_TEST_MODULE runtime_rows
#include <boost/test/unit_test.hpp>
