#include "muster/io/write_trace.hpp"

#include <functional>
#include <iostream>
#include <ostream>
#include <streambuf>
#include <vector>

#include "io/output/compress.hpp"
#include "io/results/result_file.hpp"
#include "io/traces/throughputs_csv.hpp"
#include "muster/core/error.hpp"
#include "muster/io/canonical_writer.hpp"

namespace muster {
namespace fs = std::filesystem;
namespace {

/// A stream buffer that hands on what is written, block by block.
class Blocks final : public std::streambuf {
 public:
  explicit Blocks(Compressor::Sink sink) : sink_(std::move(sink)), room_(1 << 16) { reset(); }

 protected:
  int_type overflow(int_type c) override {
    sync();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    sink_({pbase(), static_cast<std::size_t>(pptr() - pbase())});
    reset();
    return 0;
  }

 private:
  void reset() { setp(room_.data(), room_.data() + room_.size()); }

  Compressor::Sink sink_;
  std::vector<char> room_;
};

using Write = void (*)(const Workload&, std::ostream&);

void write_to(const Workload& workload, Write write, Compressor::Sink sink) {
  Blocks blocks{std::move(sink)};
  std::ostream out{&blocks};
  out.exceptions(std::ios::badbit);  // an exception of the sink passes through
  write(workload, out);
  out.flush();
}

void write_file(const Workload& workload, Write write, const fs::path& file) {
  if (file == "-") {
    write(workload, std::cout);
    std::cout.flush();
    if (!std::cout)
      throw InputError("standard output", "can't be written",
                       "is there room where it goes to? --out FILE writes to a file");
    return;
  }
  ResultFile result{file};
  const Compressor::Sink sink = [&](std::string_view text) { result.append(text); };
  std::unique_ptr<Compressor> compressor;
  if (file.extension() == ".gz") compressor = gzip_compressor(sink);
  if (file.extension() == ".zst") compressor = zstd_compressor(sink);
  if (compressor) {
    write_to(workload, write, [&](std::string_view text) { compressor->append(text); });
    compressor->finish();
  } else {
    write_to(workload, write, sink);
  }
  result.finish();
  result.commit();
}

}  // namespace

void write_trace(const Workload& workload, const fs::path& file) {
  write_file(workload, write_canonical, file);
}

void write_throughputs(const Workload& workload, const fs::path& file) {
  write_file(workload, write_throughputs, file);
}

}  // namespace muster
