#include "io/results/tables.hpp"

#include "io/results/decimal.hpp"

namespace muster {
namespace {

std::string column_name(std::string_view name) {
  std::string text{name};
  for (char& c : text)
    if (c == '.') c = '_';
  return text;
}

}  // namespace

void write_series(ResultFile& file, const Series& series) {
  std::string header = "from_s,to_s,allocated_gpus";
  for (std::size_t c = 0; c < kIdleClasses; ++c)
    header.append(",")
        .append(column_name(name(static_cast<GpuClass>(kFirstIdle + c))))
        .append("_gpus");
  file.append(header.append(",wanted_gpus,running_jobs,waiting_jobs,down_gpus,maintenance_gpus\n"));

  for (std::size_t i = 0; i < series.size(); ++i) {
    const SimTime from = series.begin_of(i), to = series.end_of(i);
    char line[(2 + Series::columns) * decimal::kLongest];
    char* p = decimal::put_seconds(line, from);
    *p++ = ',';
    p = decimal::put_seconds(p, to);
    for (std::size_t c = 0; c < Series::columns; ++c) {
      const bool jobs = c == Series::running || c == Series::waiting;
      const Int128 whole = Int128{(to - from).count()} * (jobs ? 1 : 1000);
      *p++ = ',';
      p = decimal::put_shortest(p, share(series.row(i)[c], whole));
    }
    *p++ = '\n';
    file.append({line, p});
  }
}

void write_ledger(ResultFile& file, const Summary& summary) {
  file.append("book,class,unit,amount,share\n");
  const auto row = [&](std::string_view book, std::string_view cls, std::string_view unit, Int128 v,
                       int digits, Int128 whole) {
    std::string line{book};
    line.append(",").append(cls).append(",").append(unit).append(",");
    line.append(to_decimal(v, digits)).append(",").append(decimal::shortest(share(v, whole)));
    file.append(line.append("\n"));
  };
  const Int128 gpu_time = total(summary.gpu_time);
  for (std::size_t c = 0; c < kGpuClasses; ++c)
    row("gpu_time", name(static_cast<GpuClass>(c)), "gpu_s", summary.gpu_time[c], kGpuTimeDigits,
        gpu_time);
  row("gpu_time", "total", "gpu_s", gpu_time, kGpuTimeDigits, gpu_time);

  Int128 waited = 0;
  for (const Int128 v : summary.wait_time) waited += v;
  for (std::size_t c = 0; c < kCauses; ++c)
    row("wait_time", name(static_cast<Cause>(c)), "s", summary.wait_time[c], 9, waited);
  row("wait_time", "total", "s", waited, 9, waited);
}

}  // namespace muster
