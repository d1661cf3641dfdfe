#pragma once

#include <filesystem>

namespace headroom::gui {

class MainWindow;

/// Draws both pages, light and dark, at 1024x700 and 1920x1080, as PNG files into `folder`
/// (`plan-light-1024x700.png`, ...). The window must have a plan open; pages without contents are
/// drawn as they are. Errors: IoError.
void write_screenshots(MainWindow& window, const std::filesystem::path& folder);

}  // namespace headroom::gui
