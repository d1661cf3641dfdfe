#include "tests/doubles/cuda/test/double_test.h"

#include <numeric>

namespace headroom::cuda_double {
namespace {

/// Two streams around one value: the producer sets it to 0, the consumer fetches it.
struct Pair {
  DeviceArray<int> device{std::vector<int>{1}};
  PinnedArray<int> fetched{1};
  TestStream producer;
  TestStream consumer;

  void produce() {
    BOOST_REQUIRE_EQUAL(cudaMemsetAsync(device.get(), 0, 4, producer), cudaSuccess);
  }
  void consume() {
    BOOST_REQUIRE_EQUAL(
        cudaMemcpyAsync(fetched.get(), device.get(), 4, cudaMemcpyDeviceToHost, consumer),
        cudaSuccess);
  }
};

BOOST_AUTO_TEST_SUITE(streams)

BOOST_AUTO_TEST_CASE(a_stream_keeps_its_own_order) {
  const FreshDouble fresh;
  Pair pair;
  cudaMemsetAsync(pair.device.get(), 0, 4, pair.consumer);
  pair.consume();
  cudaMemsetAsync(pair.device.get(), 1, 4, pair.consumer);
  BOOST_TEST(cudaStreamSynchronize(pair.consumer) == cudaSuccess);
  BOOST_TEST(pair.fetched[0] == 0);
  BOOST_TEST(pair.device.values()[0] == 0x01010101);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(an_event_orders_two_streams) {
  const FreshDouble fresh;
  Pair pair;
  const TestEvent event;
  pair.produce();
  BOOST_TEST(cudaEventRecord(event, pair.producer) == cudaSuccess);
  BOOST_TEST(cudaStreamWaitEvent(pair.consumer, event, 0) == cudaSuccess);
  pair.consume();
  BOOST_TEST(cudaStreamSynchronize(pair.consumer) == cudaSuccess);
  BOOST_TEST(pair.fetched[0] == 0);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(a_missing_wait_reads_stale_data_when_one_stream_is_awaited) {
  const FreshDouble fresh("races=off");
  Pair pair;
  pair.produce();
  pair.consume();
  BOOST_TEST(cudaStreamSynchronize(pair.consumer) == cudaSuccess);
  BOOST_TEST(pair.fetched[0] == 1);
}

BOOST_AUTO_TEST_CASE(a_missing_wait_reads_stale_data_when_all_streams_are_awaited) {
  const FreshDouble fresh("races=off");
  Pair pair;
  pair.produce();
  pair.consume();
  BOOST_TEST(cudaDeviceSynchronize() == cudaSuccess);
  BOOST_TEST(pair.fetched[0] == 1);
}

BOOST_AUTO_TEST_CASE(a_missing_wait_lets_a_later_write_overtake_a_read) {
  const FreshDouble fresh("races=off");
  Pair pair;
  pair.consume();
  pair.produce();
  BOOST_TEST(cudaStreamSynchronize(pair.consumer) == cudaSuccess);
  BOOST_TEST(pair.fetched[0] == 0);
}

BOOST_AUTO_TEST_CASE(the_friendly_order_would_hide_it) {
  const FreshDouble fresh("races=off,order=oldest");
  Pair pair;
  pair.produce();
  pair.consume();
  BOOST_TEST(cudaDeviceSynchronize() == cudaSuccess);
  BOOST_TEST(pair.fetched[0] == 0);
}

BOOST_AUTO_TEST_CASE(random_orders_show_both_outcomes_and_repeat_for_a_seed) {
  int stale = 0;
  for (int seed = 0; seed < 40; ++seed) {
    const std::string spec = "races=off,order=random:" + std::to_string(seed);
    int results[2] = {};
    for (int& result : results) {
      const FreshDouble fresh(spec.c_str());
      Pair pair;
      pair.produce();
      pair.consume();
      cudaDeviceSynchronize();
      result = pair.fetched[0];
    }
    BOOST_TEST(results[0] == results[1]);
    stale += results[0];
  }
  BOOST_TEST(stale > 5);
  BOOST_TEST(stale < 35);
}

BOOST_AUTO_TEST_CASE(a_missing_wait_is_reported_as_a_race_in_every_order) {
  for (const char* spec : {"order=latest", "order=oldest", "order=random:3"}) {
    const FreshDouble fresh(spec);
    Pair pair;
    pair.produce();
    pair.consume();
    BOOST_TEST(violated("race: cudaMemcpyAsync on stream"));
    cudaDeviceSynchronize();
  }
}

BOOST_AUTO_TEST_CASE(waiting_on_the_host_puts_streams_in_order) {
  const FreshDouble fresh;
  Pair pair;
  pair.produce();
  BOOST_TEST(cudaStreamSynchronize(pair.producer) == cudaSuccess);
  pair.consume();
  BOOST_TEST(cudaStreamSynchronize(pair.consumer) == cudaSuccess);
  BOOST_TEST(pair.fetched[0] == 0);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(order_passes_on_through_a_third_stream) {
  const FreshDouble fresh;
  Pair pair;
  const TestStream middle;
  const TestEvent first;
  const TestEvent second;
  pair.produce();
  cudaEventRecord(first, pair.producer);
  cudaStreamWaitEvent(middle, first, 0);
  cudaEventRecord(second, middle);
  cudaStreamWaitEvent(pair.consumer, second, 0);
  pair.consume();
  cudaStreamSynchronize(pair.consumer);
  BOOST_TEST(pair.fetched[0] == 0);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(a_wait_means_the_record_at_the_time_of_the_call) {
  const FreshDouble fresh;
  Pair pair;
  const TestEvent event;
  // Recorded too early: the wait is satisfied before the producer works.
  cudaEventRecord(event, pair.producer);
  cudaStreamWaitEvent(pair.consumer, event, 0);
  pair.produce();
  pair.consume();
  BOOST_TEST(violated("race"));
  cudaStreamSynchronize(pair.consumer);
  BOOST_TEST(pair.fetched[0] == 1);
}

BOOST_AUTO_TEST_CASE(two_reads_or_disjoint_writes_are_no_race) {
  const FreshDouble fresh;
  const DeviceArray<int> device(std::vector<int>(8, 3));
  const PinnedArray<int> host(8);
  const TestStream a;
  const TestStream b;
  cudaMemcpyAsync(host.get(), device.get(), 16, cudaMemcpyDeviceToHost, a);
  cudaMemcpyAsync(host.get() + 4, device.get(), 16, cudaMemcpyDeviceToHost, b);
  BOOST_TEST(clean());
  cudaMemcpyAsync(host.get() + 3, device.get(), 16, cudaMemcpyDeviceToHost, b);
  BOOST_TEST(violated("race"));
  cudaDeviceSynchronize();
}

BOOST_AUTO_TEST_CASE(queries_make_progress_one_operation_at_a_time) {
  const FreshDouble fresh;
  Pair pair;
  const TestEvent event;
  BOOST_TEST(cudaStreamQuery(pair.producer) == cudaSuccess);
  BOOST_TEST(cudaEventQuery(event) == cudaSuccess);
  pair.produce();
  cudaEventRecord(event, pair.producer);
  BOOST_TEST(cudaEventQuery(event) == cudaErrorNotReady);
  BOOST_TEST(cudaStreamQuery(pair.producer) == cudaErrorNotReady);
  BOOST_TEST(cudaEventQuery(event) == cudaSuccess);
  BOOST_TEST(cudaStreamQuery(pair.producer) == cudaSuccess);
  pair.consume();
  BOOST_TEST(clean());  // a successful query puts the host after the work
  cudaDeviceSynchronize();
}

BOOST_AUTO_TEST_CASE(an_event_synchronisation_runs_what_the_event_needs) {
  const FreshDouble fresh;
  Pair pair;
  const TestEvent event;
  pair.consume();
  cudaEventRecord(event, pair.consumer);
  cudaMemsetAsync(pair.device.get(), 7, 4, pair.consumer);
  BOOST_TEST(cudaEventSynchronize(event) == cudaSuccess);
  BOOST_TEST(pair.fetched[0] == 1);
  BOOST_TEST(cuda_double_counters().outstanding == 1U);
  cudaDeviceSynchronize();
}

BOOST_AUTO_TEST_CASE(elapsed_time_needs_two_finished_timed_events) {
  const FreshDouble fresh;
  const TestStream stream;
  const TestEvent start;
  const TestEvent end;
  const TestEvent untimed(cudaEventDisableTiming);
  const DeviceArray<char> device(8 << 20);
  float ms = -1;
  BOOST_TEST(cudaEventElapsedTime(&ms, start, end) == cudaErrorInvalidResourceHandle);
  BOOST_TEST(violated("never recorded"));
  cudaEventRecord(start, stream);
  cudaMemsetAsync(device.get(), 0, 8 << 20, stream);
  cudaEventRecord(end, stream);
  BOOST_TEST(cudaEventElapsedTime(&ms, start, end) == cudaErrorNotReady);
  cudaStreamSynchronize(stream);
  BOOST_TEST(cudaEventElapsedTime(&ms, start, end) == cudaSuccess);
  BOOST_TEST(ms > 0.0F);
  BOOST_TEST(ms < 10000.0F);
  BOOST_TEST(clean());
  cudaEventRecord(untimed, stream);
  BOOST_TEST(cudaEventElapsedTime(&ms, start, untimed) == cudaErrorInvalidResourceHandle);
  BOOST_TEST(violated("without timing"));
  cudaDeviceSynchronize();
}

BOOST_AUTO_TEST_CASE(dead_handles_are_refused) {
  const FreshDouble fresh;
  const DeviceArray<char> device(8);
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaStreamDestroy(stream);
  cudaEventDestroy(event);
  BOOST_TEST(cudaMemsetAsync(device.get(), 0, 8, stream) == cudaErrorInvalidResourceHandle);
  BOOST_TEST(violated("the stream was destroyed"));
  BOOST_TEST(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
  BOOST_TEST(violated("the stream was destroyed"));
  BOOST_TEST(cudaEventRecord(event, nullptr) == cudaErrorInvalidResourceHandle);
  BOOST_TEST(violated("the event was destroyed"));
  BOOST_TEST(cudaStreamWaitEvent(nullptr, event, 0) == cudaErrorInvalidResourceHandle);
  BOOST_TEST(violated("the event was destroyed"));
}

BOOST_AUTO_TEST_CASE(a_destroyed_stream_still_finishes_its_work) {
  const FreshDouble fresh;
  const DeviceArray<int> device(std::vector<int>{1});
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemsetAsync(device.get(), 0, 4, stream);
  BOOST_TEST(cudaStreamDestroy(stream) == cudaSuccess);
  BOOST_TEST(cudaDeviceSynchronize() == cudaSuccess);
  BOOST_TEST(device.values()[0] == 0);
  BOOST_TEST(cuda_double_counters().outstanding == 0U);
}

BOOST_AUTO_TEST_CASE(the_default_stream_waits_for_blocking_streams_and_they_for_it) {
  const FreshDouble fresh;
  const DeviceArray<int> device(std::vector<int>{1});
  const PinnedArray<int> fetched(2);
  const TestStream blocking(cudaStreamDefault);
  cudaMemsetAsync(device.get(), 0, 4, blocking);
  cudaMemcpyAsync(fetched.get(), device.get(), 4, cudaMemcpyDeviceToHost, nullptr);
  cudaMemsetAsync(device.get(), 1, 4, nullptr);
  cudaMemcpyAsync(fetched.get() + 1, device.get(), 4, cudaMemcpyDeviceToHost, blocking);
  BOOST_TEST(cudaDeviceSynchronize() == cudaSuccess);
  BOOST_TEST(fetched[0] == 0);
  BOOST_TEST(fetched[1] == 0x01010101);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(the_default_stream_can_be_forbidden) {
  const FreshDouble fresh("default_stream=reject");
  const DeviceArray<int> device(1);
  const TestStream stream;
  int host = 0;
  BOOST_TEST(cudaMemsetAsync(device.get(), 0, 4, nullptr) == cudaErrorInvalidResourceHandle);
  BOOST_TEST(violated("default_stream=reject"));
  BOOST_TEST(cudaMemcpy(device.get(), &host, 4, cudaMemcpyHostToDevice) ==
             cudaErrorInvalidResourceHandle);
  BOOST_TEST(violated("cudaMemcpy: uses the default stream"));
  BOOST_TEST(cudaMemsetAsync(device.get(), 0, 4, stream) == cudaSuccess);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(the_per_thread_default_stream_is_refused) {
  const FreshDouble fresh;
  BOOST_TEST(cudaStreamSynchronize(cudaStreamPerThread) == cudaErrorNotSupported);
  BOOST_TEST(violated("per-thread"));
}

BOOST_AUTO_TEST_CASE(a_host_function_runs_in_order_and_may_not_call_cuda) {
  const FreshDouble fresh;
  const TestStream stream;
  cudaError_t seen = cudaSuccess;
  BOOST_TEST(cudaLaunchHostFunc(
                 stream,
                 [](void* data) { *static_cast<cudaError_t*>(data) = cudaDeviceSynchronize(); },
                 &seen) == cudaSuccess);
  BOOST_TEST(seen == cudaSuccess);
  cudaStreamSynchronize(stream);
  BOOST_TEST(seen == cudaErrorNotPermitted);
  BOOST_TEST(violated("called from a function that runs on a stream"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::cuda_double
