#define BOOST_TEST_MODULE gui_widgets
#define BOOST_TEST_NO_MAIN
#include <boost/test/unit_test.hpp>

#include <QApplication>
#include <QStyleFactory>

int main(int argc, char** argv) {
  QApplication::setStyle(QStyleFactory::create("Fusion"));
  const QApplication application(argc, argv);
  return boost::unit_test::unit_test_main(&init_unit_test, argc, argv);
}
