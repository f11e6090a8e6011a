// A run that fails spoils no result that is there: it is killed, the disk is full, the folder is not writable.

#include "cli/muster.hpp"

using namespace muster::test;

namespace {

const char* const kFiles[] = {"jobs.csv", "series.csv", "ledger.csv", "summary.json"};

/// The results of an earlier run in o/.
std::map<std::string, std::string> earlier(const Place& place) {
  REQUIRE(place.muster("run --trace t.csv --fleet 1x8 --policy fifo --out o").status == 0);
  std::map<std::string, std::string> texts;
  for (const char* file : kFiles) texts[file] = place.read(std::string{"o/"} + file);
  return texts;
}

void check_whole(const Place& place, const std::map<std::string, std::string>& texts) {
  for (const auto& [file, text] : texts) {
    INFO(file);
    CHECK(place.read("o/" + file) == text);
  }
}

/// A hundred kilobytes of results.
std::string a_thousand_jobs() {
  std::string jobs = "job,submit,gpus,duration\n";
  for (int i = 0; i < 1000; ++i)
    jobs += "j" + std::to_string(i) + "," + std::to_string(i) + ",1,1000\n";
  return jobs;
}

}  // namespace

TEST_CASE("a run that is killed in the middle leaves the results before it whole") {
  std::string jobs = "job,submit,gpus,duration\n";
  for (int i = 0; i < 300'000; ++i)
    jobs += "j" + std::to_string(i) + "," + std::to_string(i) + ",1,100000\n";
  const Place place{{{"t.csv", kFourJobs}, {"long.csv", jobs}}};
  const auto texts = earlier(place);
  const Ran ran =
      place.shell(MUSTER_BINARY_DIR
                  "/muster run --trace long.csv --fleet 64x8 --policy easy --out o & "
                  "while [ ! -e o/jobs.csv.partial ] && kill -0 $!; do sleep 0.01; done; "
                  "sleep 0.1; kill -KILL $!; wait $!");
  if (ran.status == 0) return;  // a very fast machine
  CHECK(ran.status == 137);
  check_whole(place, texts);
  // What it has left behind is in nobody's way.
  CHECK(place.files().size() > 2 + 4);
  earlier(place);
  check_whole(place, texts);
  CHECK(place.files().size() == 2 + 1 + 5);
}

TEST_CASE("a file that may not grow is one clear error, and the results before it are whole") {
  const Place place{{{"t.csv", kFourJobs}, {"more.csv", a_thousand_jobs()}}};
  const auto texts = earlier(place);
  const Ran ran = place.shell("ulimit -f 16; " MUSTER_BINARY_DIR
                              "/muster run --trace more.csv --fleet 1x8 --policy fifo --out o");
  CHECK(ran.status == 2);
  CHECK(ran.err ==
        "o/jobs.csv: cannot write file: File too large\n"
        "    nothing was left behind; make room, or choose another place with --out\n");
  check_whole(place, texts);
  CHECK(place.files().size() == 2 + 1 + 5);
}

TEST_CASE("a full disk is one clear error, and the results before it are whole") {
  const Place place{{{"t.csv", kFourJobs}, {"more.csv", a_thousand_jobs()}}};
  const std::string disk =
      "mkdir -p d; unshare -rm sh -c 'mount -t tmpfs -o size=96k tmpfs d || exit 99; ";
  if (place.shell(disk + "'").status != 0) {
    WARN("skipped: no file system can be mounted here");
    return;
  }
  const std::string muster = MUSTER_BINARY_DIR "/muster ";
  const Ran ran = place.shell(
      disk + muster + "run --trace t.csv --fleet 1x8 --policy fifo --out d/o >/dev/null; " +
      "cat d/o/* >before; " + muster +
      "run --trace more.csv --fleet 1x8 --policy fifo --out d/o; status=$?; " +
      "cat d/o/* >after; ls d/o >names; exit $status'");
  CHECK(ran.status == 2);
  CHECK(ran.err ==
        "d/o/jobs.csv: cannot write file: No space left on device\n"
        "    nothing was left behind; make room, or choose another place with --out\n");
  CHECK(place.read("before") != "");
  CHECK(place.read("before") == place.read("after"));
  CHECK(place.read("names") == "jobs.csv\nledger.csv\nreport.html\nseries.csv\nsummary.json\n");
}

TEST_CASE("a folder that can't be written is one clear error before the run") {
  const Place place{{{"t.csv", kFourJobs}}};
  const Ran ran = place.muster("run --trace t.csv --fleet 1x8 --policy fifo --out /proc/self/none");
  CHECK(ran.status == 2);
  CHECK(ran.out == "");
  CHECK_THAT(ran.err, StartsWith("/proc/self/none: cannot make the directory: ") &&
                          EndsWith("\n    choose another place with --out\n"));
  const Ran csv = place.muster(
      "spares --nodes 2 --mttf 9d --repair-time 1d --seeds 1 --csv /proc/self/none/s.csv");
  CHECK(csv.status == 2);
  CHECK_THAT(csv.err, StartsWith("/proc/self/none/s.csv: cannot create file: "));
}

TEST_CASE("no library is looked for in the folder where the program is run") {
  const Place place{{{"libz.so.1", "no library"},
                     {"libfmt.so.9", "no library"},
                     {"libstdc++.so.6", "no library"}}};
  CHECK(place.muster("--version").status == 0);
}
