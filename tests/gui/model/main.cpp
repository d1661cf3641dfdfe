#define BOOST_TEST_MODULE gui_model
#define BOOST_TEST_NO_MAIN
#include <boost/test/unit_test.hpp>

#include <QGuiApplication>

int main(int argc, char** argv) {
  const QGuiApplication application(argc, argv);
  return boost::unit_test::unit_test_main(&init_unit_test, argc, argv);
}
