#include "core/io/yaml.h"

#include "tests/support/temporary_folder.h"

#include <boost/test/unit_test.hpp>

namespace headroom::io {
namespace {

std::string complaint(std::string_view text) {
  try {
    static_cast<void>(parse_yaml(text, "f.yaml"));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no complaint";
}

const ConfigNode& at(const ConfigNode& node, const std::string& key) {
  const ConfigNode* found = node.find(key);
  BOOST_REQUIRE(found != nullptr);
  return *found;
}

std::string place(const SourceLocation& where) {
  return where.file + ':' + std::to_string(where.line) + ':' + std::to_string(where.column);
}

BOOST_AUTO_TEST_SUITE(yaml)

BOOST_AUTO_TEST_CASE(kinds_and_positions) {
  const ConfigNode root = parse_yaml(
      "# comment\n"
      "model:\n"
      "  dim: 64\n"
      "  name: \"64\"\n"
      "  sizes: [1, 2]\n"
      "nothing:\n"
      "also nothing: ~\n",
      "f.yaml");
  BOOST_TEST((root.kind == ConfigNode::Kind::kMap));
  BOOST_TEST(place(root.entries[0].where) == "f.yaml:2:1");
  const ConfigNode& model = at(root, "model");
  BOOST_TEST(place(model.entries[0].where) == "f.yaml:3:3");
  BOOST_TEST(place(at(model, "dim").where) == "f.yaml:3:8");
  BOOST_TEST(at(model, "dim").scalar == "64");
  BOOST_TEST(!at(model, "dim").quoted);
  BOOST_TEST(at(model, "name").quoted);
  BOOST_TEST((at(model, "sizes").kind == ConfigNode::Kind::kList));
  BOOST_TEST(place(at(model, "sizes").items[1].where) == "f.yaml:5:14");
  BOOST_TEST((at(root, "nothing").kind == ConfigNode::Kind::kNull));
  BOOST_TEST((at(root, "also nothing").kind == ConfigNode::Kind::kNull));
}

BOOST_AUTO_TEST_CASE(columns_count_characters) {
  const ConfigNode root = parse_yaml("a: 1\nb: {\"\xC3\xA4\xE2\x82\xAC\": 2, c: 3}\n", "f.yaml");
  BOOST_TEST(place(at(root, "b").entries[1].where) == "f.yaml:2:14");
}

BOOST_AUTO_TEST_CASE(repeated_keys_are_kept) {
  const ConfigNode root = parse_yaml("a: 1\na: 2\n", "f.yaml");
  BOOST_TEST(root.entries.size() == 2u);
  BOOST_TEST(place(root.entries[1].where) == "f.yaml:2:1");
  BOOST_TEST(at(root, "a").scalar == "2");
}

BOOST_AUTO_TEST_CASE(anchors_aliases_and_merges) {
  const ConfigNode root = parse_yaml(
      "base: &b {x: 1, y: 2}\n"
      "copy: *b\n"
      "merged:\n"
      "  <<: *b\n"
      "  y: 3\n"
      "  z: 4\n"
      "other:\n"
      "  y: 5\n"
      "  <<: *b\n",
      "f.yaml");
  BOOST_TEST(at(at(root, "copy"), "y").scalar == "2");
  const ConfigNode& merged = at(root, "merged");
  BOOST_TEST(merged.entries.size() == 3u);
  BOOST_TEST(at(merged, "x").scalar == "1");
  BOOST_TEST(at(merged, "y").scalar == "3");
  BOOST_TEST(at(merged, "z").scalar == "4");
  BOOST_TEST(at(root, "other").entries.size() == 2u);
  BOOST_TEST(at(at(root, "other"), "y").scalar == "5");
}

BOOST_AUTO_TEST_CASE(json_is_yaml_too) {
  const ConfigNode root = parse_yaml(
      "{\n\t\"hidden_size\": 768,\n\t\"act\": \"gelu_new\",\n\t\"list\": [1, 2.5e-3, null],\n"
      "\t\"flag\": true\n}\n",
      "config.json");
  BOOST_TEST(at(root, "hidden_size").scalar == "768");
  BOOST_TEST(at(root, "act").quoted);
  BOOST_TEST(at(root, "list").items.size() == 3u);
  BOOST_TEST(at(root, "list").items[1].scalar == "2.5e-3");
  BOOST_TEST((at(root, "list").items[2].kind == ConfigNode::Kind::kNull));
  BOOST_TEST(at(root, "flag").scalar == "true");
}

BOOST_AUTO_TEST_CASE(windows_line_ends_and_byte_order_marks) {
  const ConfigNode root = parse_yaml(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n",
      "f.yaml");
  BOOST_TEST(at(root, "a").scalar == "1");
  BOOST_TEST(at(root, "b").scalar == "2");
}

BOOST_AUTO_TEST_CASE(empty_files_say_so) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "~\n"}) {
    BOOST_TEST(complaint(text) == "f.yaml: the file is empty");
  }
}

BOOST_AUTO_TEST_CASE(bad_syntax_has_a_position) {
  BOOST_TEST(complaint("a: 1\nb: [1, 2\nc: 3\n").find("f.yaml:") == 0u);
  BOOST_TEST(complaint("a: 1\n b: 2\n").find("f.yaml:2:") == 0u);
  BOOST_TEST(complaint("a: b: c\n").find("f.yaml:1:5: this is not valid YAML: ") == 0u);
  BOOST_TEST(complaint("a:\n\tb: 1\n").find("indent with spaces, not tabs") != std::string::npos);
  BOOST_TEST(complaint("a: \"open\n") == "f.yaml:1:4: this quote is never closed");
  BOOST_TEST(complaint("a: \"open \\\"\n").find("never closed") != std::string::npos);
  BOOST_TEST(complaint("a: 'open ''\n").find("f.yaml") == 0u);
  BOOST_TEST(complaint("a: 'it''s'\nb: \"say \\\"x\\\"\"\n") == "no complaint");
  BOOST_TEST(complaint("a: *unknown\n").find("not valid YAML") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(one_document_per_file) {
  BOOST_TEST(complaint("a: 1\n---\nb: 2\n").find("f.yaml:2:1: a second document starts here") ==
             0u);
  BOOST_TEST(complaint("---\na: 1\n") == "no complaint");
}

BOOST_AUTO_TEST_CASE(keys_are_words) {
  BOOST_TEST(complaint("[1, 2]: 3\n").find("a key must be a word") != std::string::npos);
  BOOST_TEST(complaint("a:\n  <<: 5\n").find("'<<' takes a mapping") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(depth_and_size_are_limited) {
  BOOST_TEST(complaint(std::string(60, '[') + std::string(60, ']')) == "no complaint");
  BOOST_TEST(complaint(std::string(70, '[') + std::string(70, ']')).find("nested deeper than 64") !=
             std::string::npos);
  BOOST_TEST(complaint(std::string(100000, '[')).find("f.yaml") == 0u);
  // Nine levels of nine aliases each would be 9^9 values.
  std::string bomb = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*l" + std::to_string(i - 1);
    bomb += 'l' + std::to_string(i) + ": &l" + std::to_string(i) + " [" + before;
    for (int k = 1; k < 9; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  BOOST_TEST(complaint(bomb).find("more than 100000 values") != std::string::npos);
  BOOST_TEST(complaint("a: &a [1, *a]\n").find("an alias to a value that contains it") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(binary_files_are_refused) {
  using namespace std::string_view_literals;
  BOOST_TEST(complaint("a: 1\0b"sv).find("this is a binary file") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(files) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("plan.yaml", "a: 1\n");
  BOOST_TEST(at(read_yaml(path), "a").scalar == "1");
  BOOST_TEST(read_yaml(path).where.file == path.string());
  BOOST_CHECK_THROW(static_cast<void>(read_yaml(folder.path() / "missing.yaml")), IoError);
  BOOST_CHECK_THROW(static_cast<void>(read_yaml(folder.path())), IoError);
}

BOOST_AUTO_TEST_CASE(scalars_read_back_as_they_were) {
  for (const std::string text : {"plain",
                                 "",
                                 "~",
                                 "null",
                                 "true",
                                 "12",
                                 "a b",
                                 "a: b",
                                 "#x",
                                 "- x",
                                 "-",
                                 "'",
                                 "\"",
                                 "back\\slash",
                                 "tab\there",
                                 "line\nend",
                                 "[1]",
                                 "{a}",
                                 "*x",
                                 "&x",
                                 "!x",
                                 "%",
                                 "@",
                                 "`",
                                 "\xC3\xA4\xE2\x82\xAC",
                                 "../../data/digits.csv",
                                 "a,b",
                                 "x#y",
                                 "x: ",
                                 " lead",
                                 "trail ",
                                 "?",
                                 "|",
                                 ">"}) {
    const ConfigNode root = parse_yaml("key: " + yaml_scalar(text) + "\n", "f.yaml");
    BOOST_TEST((at(root, "key").kind == ConfigNode::Kind::kScalar), text);
    BOOST_TEST(at(root, "key").scalar == text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::io
