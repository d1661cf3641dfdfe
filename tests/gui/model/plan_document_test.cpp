#include "gui/model/plan_document.h"

#include "core/io/plan_yaml.h"
#include "gui/model/memory_report.h"
#include "tests/gui/model/samples.h"

#include <boost/test/unit_test.hpp>

#include <QCoreApplication>
#include <QElapsedTimer>

namespace headroom::gui {
namespace {

using test::estimate_directly;
using test::hardware;
using test::shipped_plan;

bool same_numbers(const estimator::Estimate& a, const estimator::Estimate& b) {
  return a.device().usage.at_peak == b.device().usage.at_peak &&
         a.device().reserved == b.device().reserved && a.device().context == b.device().context &&
         a.flops.total() == b.flops.total() && a.model.parameters == b.model.parameters &&
         a.time.has_value() == b.time.has_value() && (!a.time || a.time->step == b.time->step) &&
         a.verdict.fits == b.verdict.fits && a.verdict.headroom == b.verdict.headroom;
}

BOOST_AUTO_TEST_SUITE(plan_document)

BOOST_AUTO_TEST_CASE(an_edit_shows_what_the_estimator_says) {
  for (const std::string& name : test::kShippedPlans) {
    PlanDocument document(hardware());
    BOOST_REQUIRE(document.open(shipped_plan(name)).empty());
    Plan plan = io::load_plan(shipped_plan(name)).plan;
    BOOST_TEST(same_numbers(*document.estimate(), estimate_directly(plan)), name);
    for (const std::int64_t batch : {1, 33, 4096}) {
      BOOST_TEST(document.edit({{"training.micro_batch_size", batch}}, "batch").empty());
      plan.training.micro_batch_size = batch;
      BOOST_TEST(same_numbers(*document.estimate(), estimate_directly(plan)), name << batch);
    }
  }
}

BOOST_AUTO_TEST_CASE(undo_and_redo_lead_back_to_the_saved_state) {
  PlanDocument document(hardware());
  BOOST_REQUIRE(document.open(shipped_plan("cruncher")).empty());
  const PlanState saved = document.state();
  BOOST_TEST(!document.modified());
  const std::vector<KeyEdit> edits = {{"model.dim", std::int64_t{1024}},
                                      {"training.optimizer.name", std::string("adamw")},
                                      {"model.type", std::string("mlp")}};
  std::vector<PlanState> states;
  for (const KeyEdit& edit : edits) {
    BOOST_TEST(document.edit({edit}, "edit").empty());
    states.push_back(document.state());
    BOOST_TEST(document.modified());
  }
  BOOST_TEST(document.undoStack()->count() == 3);
  for (std::size_t i = edits.size(); i-- > 0;) {
    BOOST_TEST(same_plan(document.state(), states[i]));
    document.undoStack()->undo();
  }
  BOOST_TEST(same_plan(document.state(), saved));
  BOOST_TEST(!document.modified());
  while (document.undoStack()->canRedo()) document.undoStack()->redo();
  BOOST_TEST(same_plan(document.state(), states.back()));
  // Typing the old value again is as good as undoing.
  document.undoStack()->undo();
  document.undoStack()->undo();
  BOOST_TEST(document.modified());
  BOOST_TEST(document.edit({{"model.dim", std::int64_t{64}}}, "edit").empty());
  BOOST_TEST(!document.modified());
}

BOOST_AUTO_TEST_CASE(a_drag_is_one_step) {
  PlanDocument document(hardware());
  BOOST_REQUIRE(document.open(shipped_plan("cruncher")).empty());
  document.beginGesture();
  for (const std::int64_t dim : {128, 256, 512}) {
    BOOST_TEST(document.edit({{"model.dim", dim}}, "dim").empty());
  }
  document.endGesture();
  BOOST_TEST(document.undoStack()->count() == 1);
  document.beginGesture();
  BOOST_TEST(document.edit({{"model.dim", std::int64_t{1024}}}, "dim").empty());
  document.endGesture();
  BOOST_TEST(document.undoStack()->count() == 2);
  document.undoStack()->undo();
  document.undoStack()->undo();
  BOOST_TEST(!document.modified());
  // Out and back in one drag is no step at all.
  document.beginGesture();
  BOOST_TEST(document.edit({{"model.dim", std::int64_t{128}}}, "dim").empty());
  BOOST_TEST(document.edit({{"model.dim", std::int64_t{64}}}, "dim").empty());
  document.endGesture();
  BOOST_TEST(document.undoStack()->count() == 0);
}

BOOST_AUTO_TEST_CASE(a_bad_file_changes_nothing) {
  const test::TemporaryFolder folder;
  PlanDocument document(hardware());
  BOOST_REQUIRE(document.open(shipped_plan("cruncher")).empty());
  BOOST_TEST(document.edit({{"model.dim", std::int64_t{128}}}, "dim").empty());
  const PlanState before = document.state();
  const auto bad = folder.write("bad.yaml",
                                "model: {type: cruncher, dim: -1, num_layers: 2, widht: 3}\n"
                                "training: {micro_batch_size: 1, optimizer: sgd}\n");
  const auto problems = document.open(bad);
  BOOST_TEST(problems.size() == 3U);
  BOOST_TEST(problems.front().where.line == 1);
  for (const auto& path : {folder.write("empty.yaml", ""), folder.write("cut.yaml", "model: {"),
                           folder.write("noise.yaml", std::string("\0\xff\xfe\x01", 4)),
                           folder.path() / "missing.yaml", folder.path()}) {
    BOOST_TEST(!document.open(path).empty(), path);
  }
  BOOST_TEST(same_plan(document.state(), before));
  BOOST_TEST(document.undoStack()->canUndo());
  BOOST_TEST((document.path() == shipped_plan("cruncher")));
}

BOOST_AUTO_TEST_CASE(saving_gives_an_equal_plan_and_keeps_the_heading) {
  const test::TemporaryFolder folder;
  PlanDocument document(hardware());
  BOOST_REQUIRE(document.open(shipped_plan("mlp-digits")).empty());
  BOOST_TEST(document.edit({{"training.micro_batch_size", std::int64_t{7}}}, "batch").empty());
  const auto path = folder.path() / "mine.yaml";
  BOOST_TEST(document.save(path).empty());
  BOOST_TEST(!document.modified());
  BOOST_TEST((io::load_plan(path).plan == document.state().plan));
  BOOST_TEST(test::read_file(path).starts_with("# Recognises handwritten digits"));
  // The default keys are not written.
  BOOST_TEST(test::read_file(path).find("threads:") == std::string::npos);
  document.undoStack()->undo();
  BOOST_TEST(document.modified());
  BOOST_TEST(!document.save(folder.path() / "no/such/folder/x.yaml").empty());
  BOOST_TEST((document.path() == path));
}

BOOST_AUTO_TEST_CASE(values_out_of_range_are_refused) {
  PlanDocument document(hardware());
  BOOST_REQUIRE(document.open(shipped_plan("cruncher")).empty());
  BOOST_TEST(document.edit({{"model.dim", std::int64_t{0}}}, "dim").size() == 1U);
  BOOST_TEST(document.edit({{"model.nothing", std::int64_t{1}}}, "dim").size() == 1U);
  BOOST_TEST(!document.modified());
  // Products that overflow, and depths that would take minutes, are told; the plan stays editable.
  BOOST_TEST(document.edit({{"model.dim", std::int64_t{1} << 40}}, "dim").empty());
  BOOST_TEST(!document.problems().empty());
  document.undoStack()->undo();
  BOOST_TEST(document.edit({{"model.num_layers", std::int64_t{1} << 40}}, "layers").empty());
  BOOST_REQUIRE(!document.problems().empty());
  BOOST_TEST(document.problems().front().key == "model.num_layers");
  document.undoStack()->undo();
  BOOST_TEST(document.problems().empty());
  BOOST_TEST(document.edit({{"hardware.gpu", std::string("h1000")}}, "gpu").empty());
  BOOST_REQUIRE(document.problems().size() == 1U);
  BOOST_TEST(document.problems().front().key == "hardware.gpu");
}

BOOST_AUTO_TEST_CASE(a_suggestion_is_one_undo_step_that_saves_what_it_says) {
  PlanDocument document(hardware());
  BOOST_REQUIRE(document.open(shipped_plan("cruncher-adamw")).empty());
  BOOST_TEST(document
                 .edit({{"model.dim", std::int64_t{16384}},
                        {"model.num_layers", std::int64_t{16}},
                        {"training.micro_batch_size", std::int64_t{131072}},
                        {"hardware.gpu", std::string("h100-sxm")}},
                       "grow")
                 .empty());
  BOOST_REQUIRE(document.estimate()->verdict.fits == false);
  BOOST_TEST((verdict_report(*document.estimate()).level == VerdictReport::Level::kTooLarge));
  QElapsedTimer clock;
  clock.start();
  while (document.suggestions().empty() && clock.elapsed() < 5000) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
  }
  BOOST_REQUIRE(!document.suggestions().empty());
  const estimator::Suggestion first = document.suggestions().front();
  const Bytes before = document.estimate()->device().device_peak();
  const int steps = document.undoStack()->count();
  BOOST_TEST(document.apply(first).empty());
  BOOST_TEST(document.undoStack()->count() == steps + 1);
  BOOST_TEST((before - document.estimate()->device().device_peak() == first.saves));
  BOOST_TEST(document.estimate()->verdict.fits.value() == first.fits);
  document.undoStack()->undo();
  BOOST_TEST((document.estimate()->device().device_peak() == before));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::gui
