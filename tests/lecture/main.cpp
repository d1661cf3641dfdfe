// One test per claim of the lecture notes, each against the notes' own figure.
#define BOOST_TEST_MODULE lecture
#include <boost/test/unit_test.hpp>
