// alibaba-lingjun2023: training jobs of the Lingjun cluster (Crux, SIGCOMM'24) as a job list.

#include "io/traces/clos_list.hpp"
#include "muster/io/trace_reader.hpp"

namespace muster {
namespace {

// The same layout holds Philly's jobs; only the file's name can tell.
int recognise(const TraceHead& head) {
  if (head.first_line() != kClosListHeader) return 0;
  const bool named = head.name.find("crux") != std::string_view::npos ||
                     head.name.find("lingjun") != std::string_view::npos;
  return named ? kCertain : kPerhaps;
}

const RegisterTraceFormat registered{
    "alibaba-lingjun2023",
    {.description =
         "LLM training jobs of Alibaba's Lingjun cluster, two weeks of August 2023 (Crux, "
         "SIGCOMM'24), as the list of arrival, GPUs and duration that topology studies use. Whole "
         "minutes; durations of 0 are kept. No users, queues, estimates or recorded starts. Philly "
         "was published in the same layout: a file is taken for Lingjun's if its name says crux or "
         "lingjun.",
     .options = {},
     .recognise = recognise,
     .read = read_clos_list}};

}  // namespace
}  // namespace muster
