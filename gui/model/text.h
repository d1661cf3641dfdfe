#pragma once

#include <QString>
#include <string>
#include <string_view>

namespace headroom::gui {

[[nodiscard]] inline QString to_qt(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// `micro_batch_size` as people read it: `micro batch size`.
[[nodiscard]] inline QString words(std::string_view snake_case) {
  return to_qt(snake_case).replace('_', ' ');
}

}  // namespace headroom::gui
