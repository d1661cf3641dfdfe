#pragma once

#include <QString>

namespace headroom::gui {

/// Version, licences and libraries, as the about box says them.
[[nodiscard]] QString about_text();

}  // namespace headroom::gui
