#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace headroom::cli {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool wants_colour(Stream stream) {
  if (is_set("NO_COLOR")) return false;
  if (is_set("FORCE_COLOR") || is_set("CLICOLOR_FORCE")) return true;
  const char* terminal = std::getenv("TERM");
  return is_terminal(stream) && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string_view code(Colour colour) {
  switch (colour) {
    case Colour::kRed:
      return "\033[31m";
    case Colour::kGreen:
      return "\033[32m";
    case Colour::kYellow:
      return "\033[33m";
    case Colour::kBold:
      return "\033[1m";
    case Colour::kDim:
      return "\033[2m";
  }
  return "";
}

}  // namespace

std::string paint(std::string_view text, Colour colour, Stream stream) {
  if (!wants_colour(stream)) return std::string(text);
  return std::string(code(colour)).append(text).append("\033[0m");
}

bool is_terminal(Stream stream) {
  return ::isatty(stream == Stream::kOut ? STDOUT_FILENO : STDERR_FILENO) == 1;
}

int terminal_width() {
  winsize size{};
  constexpr int kUsual = 80;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

bool unicode_output() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!is_set(name)) continue;
    const std::string_view value = std::getenv(name);
    return value.find("UTF-8") != std::string_view::npos ||
           value.find("utf8") != std::string_view::npos;
  }
  return false;
}

}  // namespace headroom::cli
