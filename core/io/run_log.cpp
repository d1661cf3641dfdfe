#include "core/io/run_log.h"

#include "core/describe/error.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <limits>
#include <type_traits>

namespace headroom::io {
namespace {

using Json = nlohmann::ordered_json;

/// A field of a record that has another kind of value than it was written with.
struct WrongField {
  std::string key;
  std::string wanted;
};

/// Reads and writes one record's fields by the same list of names, so that the two cannot differ.
class Fields {
 public:
  explicit Fields(Json& json, bool writing) : json_(json), writing_(writing) {}

  void operator()(const char* key, Bytes& value) {
    std::int64_t number = value.value();
    (*this)(key, number);
    value = Bytes(number);
  }
  void operator()(const char* key, double& value) {
    // JSON has no word for these; as null, a diverged run's loss would read back as 0.
    if (writing_) {
      if (std::isfinite(value)) {
        json_[key] = value;
      } else {
        json_[key] = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
      }
    } else if (const auto found = json_.find(key); found != json_.end() && !found->is_null()) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      if (*found == "NaN") {
        value = std::numeric_limits<double>::quiet_NaN();
      } else if (*found == "Infinity" || *found == "-Infinity") {
        value = *found == "Infinity" ? kInfinity : -kInfinity;
      } else {
        if (!found->is_number()) throw WrongField{key, "a number"};
        value = found->get<double>();
      }
    }
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& value) {
    if (writing_) {
      if (value) (*this)(key, *value);
    } else if (const auto found = json_.find(key); found != json_.end() && !found->is_null()) {
      (*this)(key, value.emplace());
    }
  }
  void operator()(const char* key, PerCategory<Bytes>& value) {
    Json& part = writing_ ? (json_[key] = Json::object()) : json_[key];
    for (Category category : all_categories()) {
      const std::string word = std::string(name(category)) + "_bytes";
      if (writing_) {
        if (value[category].value() != 0) part[word] = value[category].value();
      } else if (part.is_object() && part.contains(word)) {
        value[category] = Bytes(whole(part[word], word));
      }
    }
  }
  void operator()(const char* key, std::vector<std::pair<std::string, Bytes>>& value) {
    if (writing_) {
      Json& list = json_[key] = Json::array();
      for (const auto& [part, bytes] : value) {
        list.push_back({{"name", part}, {"bytes", bytes.value()}});
      }
    } else if (json_.contains(key)) {
      value.clear();
      for (const Json& part : json_[key]) {
        const bool complete = part.is_object() && part.contains("name") &&
                              part["name"].is_string() && part.contains("bytes");
        if (!complete) throw WrongField{key, "a list of {name, bytes}"};
        value.emplace_back(part["name"].get<std::string>(), Bytes(whole(part["bytes"], key)));
      }
    }
  }
  template <class T>
  void operator()(const char* key, T& value) {
    if (writing_) {
      json_[key] = value;
    } else if (const auto found = json_.find(key); found != json_.end() && !found->is_null()) {
      if constexpr (std::is_integral_v<T>) {
        value = static_cast<T>(whole(*found, key));
      } else {
        static_assert(std::is_same_v<T, std::string>);
        if (!found->is_string()) throw WrongField{key, "text"};
        value = found->template get<T>();
      }
    }
  }

 private:
  static std::int64_t whole(const Json& value, const std::string& key) {
    if (!value.is_number_integer()) throw WrongField{key, "a whole number"};
    return value.get<std::int64_t>();
  }

  Json& json_;
  bool writing_;
};

void visit(Fields& field, RunRecord& r) {
  field("schema_version", r.schema_version);
  field("program", r.program);
  field("time", r.time);
  field("model", r.model);
  field("device", r.device);
  field("device_name", r.device_name);
  field("data", r.data);
  field("parameters", r.parameters);
  field("items_per_step", r.items_per_step);
  field("item", r.item);
  field("first_step", r.first_step);
  field("total_steps", r.total_steps);
  field("peak_flops_per_s", r.peak_flops_per_s);
  field("peak_source", r.peak_source);
}

void visit(Fields& field, StepRecord& r) {
  field("step", r.step);
  field("loss", r.loss);
  field("learning_rate", r.learning_rate);
  field("grad_norm", r.grad_norm);
  field("step_s", r.step_s);
  field("items_per_s", r.items_per_s);
  field("mfu", r.mfu);
  field("memory_now_bytes", r.memory_now);
  field("memory_peak_bytes", r.memory_peak);
  field("data_wait_s", r.data_wait_s);
}

void visit(Fields& field, MemoryRecord& r) {
  field("step", r.step);
  field("tensors", r.tensors);
  field("allocated", r.allocated);
  field("steady", r.steady);
  field("tensors_peak_bytes", r.tensors_peak);
  field("allocated_peak_bytes", r.allocated_peak);
  field("reserved_peak_bytes", r.reserved_peak);
  field("host_reserved_bytes", r.host_reserved);
  field("device_start_bytes", r.device_start);
  field("device_peak_bytes", r.device_peak);
  field("fixed_parts", r.fixed_parts);
  field("peak_phase", r.peak_phase);
  field("peak_op", r.peak_op);
}

void visit(Fields& field, EvalRecord& r) {
  field("step", r.step);
  field("loss", r.loss);
}

void visit(Fields& field, CheckpointRecord& r) {
  field("step", r.step);
  field("path", r.path);
  field("seconds", r.seconds);
}

void visit(Fields& field, EndRecord& r) {
  field("reason", r.reason);
  field("message", r.message);
  field("step", r.step);
  field("wall_s", r.wall_s);
  field("first_loss", r.first_loss);
  field("last_loss", r.last_loss);
  field("best_loss", r.best_loss);
  field("items_per_s", r.items_per_s);
  field("mfu", r.mfu);
}

void visit(Fields& field, OomRecord& r) {
  field("step", r.step);
  field("requested_bytes", r.requested);
  field("free_bytes", r.free);
  field("capacity_bytes", r.capacity);
  field("message", r.message);
}

/// The word in a record's `type` field, by its place in LogRecord.
constexpr std::array<const char*, std::variant_size_v<LogRecord>> kTypes = {
    "run", "step", "memory", "eval", "checkpoint", "end", "oom"};

template <std::size_t I = 0>
std::optional<LogRecord> read_as(const std::string& type, Json& json) {
  if constexpr (I == kTypes.size()) {
    return std::nullopt;
  } else {
    if (type != kTypes[I]) return read_as<I + 1>(type, json);
    std::variant_alternative_t<I, LogRecord> record;
    Fields fields(json, false);
    visit(fields, record);
    return record;
  }
}

std::string where(const std::filesystem::path& path, std::int64_t line) {
  return path.string() + ":" + std::to_string(line) + ": ";
}

std::optional<LogRecord> parse(std::string_view line,
                               const std::filesystem::path& path,
                               std::int64_t number) {
  const auto damaged = [&](const std::string& what) {
    throw IoError(where(path, number) + "this record is damaged: " + what +
                  "; remove the line to read the rest of the log");
  };
  Json json;
  try {
    json = Json::parse(line);
  } catch (const Json::parse_error& error) {
    damaged("it is no valid JSON from column " + std::to_string(error.byte) + " on");
  }
  if (!json.is_object()) damaged("it is no JSON object {...}");
  if (!json.contains("type") || !json["type"].is_string()) {
    damaged("\"type\" does not say what it is");
  }
  const auto type = json["type"].get<std::string>();
  std::optional<LogRecord> record;
  try {
    record = read_as(type, json);
  } catch (const WrongField& field) {
    damaged("\"" + field.key + "\" must be " + field.wanted);
  }
  if (!record) return record;
  if (const auto* run = std::get_if<RunRecord>(&*record);
      run != nullptr && run->schema_version > RunRecord::kSchemaVersion) {
    throw IoError(where(path, number) + "written by a newer version of the program (schema " +
                  std::to_string(run->schema_version) + "); read it with that one");
  }
  return record;
}

}  // namespace

RunLogWriter::RunLogWriter(const std::filesystem::path& path)
    : path_(path), file_(open_with(path, O_RDWR | O_CREAT | O_APPEND)) {
  lock_exclusively(file_, path_);
  const std::uint64_t size = file_size(file_, path_);
  std::string text(size, '\0');
  read_exactly(file_, 0, std::as_writable_bytes(std::span(text)), path_);
  const std::size_t last = text.rfind('\n');
  const std::uint64_t valid = last == std::string::npos ? 0 : last + 1;
  if (valid != size && ::ftruncate(file_.get(), static_cast<off_t>(valid)) != 0) {
    throw_io_error("shorten", path_, errno);
  }
}

void RunLogWriter::append(const LogRecord& record) {
  Json json = Json::object();
  json["type"] = kTypes[record.index()];
  LogRecord copy = record;
  Fields fields(json, true);
  std::visit([&](auto& r) { visit(fields, r); }, copy);
  line_ = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  line_ += '\n';
  const std::uint64_t valid = file_size(file_, path_);
  try {
    write_fully(file_, std::as_bytes(std::span(line_)), path_);
  } catch (const IoError&) {
    // A full disk may have taken half of the line; the next record must not follow on it. Should
    // this fail too, the line stays cut short and is repaired when the log is next opened.
    if (::ftruncate(file_.get(), static_cast<off_t>(valid)) != 0) file_.close();
    throw;
  }
}

std::vector<LogRecord> RunLogReader::poll() {
  const FileDescriptor file = open_to_read(path_);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_io_error("examine", path_, errno);
  const auto inode = static_cast<std::uint64_t>(status.st_ino);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  restarted_ = position_ > 0 && (inode != inode_ || size < position_);
  if (restarted_) position_ = 0, line_number_ = 0;
  inode_ = inode;

  std::string text(size - position_, '\0');
  read_exactly(file, position_, std::as_writable_bytes(std::span(text)), path_);
  std::vector<LogRecord> records;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    ++line_number_;
    const std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    position_ += line.size() + 1;
    if (line.empty()) continue;
    if (auto record = parse(line, path_, line_number_)) records.push_back(std::move(*record));
  }
  return records;
}

std::vector<LogRecord> read_run_log(const std::filesystem::path& path) {
  return RunLogReader(path).poll();
}

}  // namespace headroom::io
