#include "core/describe/error.h"
#include "core/io/config_dirs.h"
#include "gui/widgets/main_window.h"
#include "gui/widgets/screenshots.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <iostream>
#include <memory>

namespace {

namespace gui = headroom::gui;

/// The plan that is open when nothing was asked for.
constexpr const char* kExample = "cruncher";

int run(QApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription("Shows what a training run needs, and how a run compares.");
  parser.addPositionalArgument("path", "a plan file, a run folder, or one of each", "[path...]");
  const QCommandLineOption screenshots(
      "screenshots", "Draw both pages into PNG files in this folder and end.", "folder");
  parser.addOption(screenshots);
  parser.addHelpOption();
  parser.addVersionOption();
  parser.process(application);

  QTemporaryDir scratch;
  const bool shooting = parser.isSet(screenshots);
  // Screenshots neither read nor change a person's settings.
  auto settings =
      shooting ? std::make_unique<QSettings>(scratch.filePath("settings.ini"), QSettings::IniFormat)
               : std::make_unique<QSettings>();
  gui::MainWindow window(gui::HardwareLibrary::load(), *settings);
  const QStringList paths = parser.positionalArguments();
  // The page of the first path is in front in the end, also over the example.
  if (const auto example = headroom::io::find_config("runs", kExample, "/")) {
    static_cast<void>(window.plan().open(*example));
  }
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    window.openPath(path->toStdString());
  }
  if (shooting) {
    gui::write_screenshots(window, parser.value(screenshots).toStdString());
    return 0;
  }
  window.show();
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  QApplication::setStyle(QStyleFactory::create("Fusion"));
  QApplication application(argc, argv);
  QCoreApplication::setOrganizationName("headroom");
  QCoreApplication::setApplicationName("headroom-gui");
  QCoreApplication::setApplicationVersion(HEADROOM_VERSION);
  try {
    return run(application);
  } catch (const std::exception& error) {
    std::cerr << "headroom-gui: " << error.what() << '\n';
    return static_cast<int>(headroom::ExitCode::kFailure);
  }
}
