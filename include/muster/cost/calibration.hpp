#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

/// Units of the cost model: us, kB (1000 bytes), GB/s (1e9 bytes/s). 1 GB/s is 1 kB/us, so that
/// kB / (GB/s) is us and nothing is ever converted.

/// A type of GPU. Rates are per direction; 0: not known, or there is none.
struct GpuSpec {
  std::string name;
  std::vector<std::string> aliases;  // as fleets and traces call it
  std::string generation;            // whose GpuLinks it has, see Calibration::links
  std::string compute;               // whose GpuCompute
  double bf16_tflops = 0;            // dense datasheet peak; of fp16 where there is no bf16
  double fp8_tflops = 0;
  double gemm_bf16_tflops = 0;  // the best matrix product measured, what compute is reckoned with
  double gemm_fp8_tflops = 0;
  double hbm_gbytes = 0;
  double hbm_gbytes_per_s = 0;
  std::string source;
};

/// Time of a pipelined transfer of X kB at W GB/s over L levels, on top of X / W:
///     fill = sqrt(fill_us X L / W) / (1 + sqrt(X / (L fill_kbytes)))
/// The best chunk of a pipeline grows with the square root of what is sent, until the buffer is full;
/// from there on the time to fill the pipeline is constant. fill_kbytes 0: the buffer is never full.
struct Pipeline {
  double fill_us = 0;
  double fill_kbytes = 0;
};

/// What collectives need to know of one way to link GPUs inside a node or NVLink domain. X is the
/// kB that each GPU sends (factor x size: nccl-tests, doc/PERFORMANCE.md), n GPUs.
struct GpuLinks {
  std::string name;
  // Ring:  latency_us + step_us (n - 1) + X / (ring_efficiency (1 - ring_few_loss / n^2) rate) + fill
  double latency_us = 0;
  double step_us = 0;
  double ring_efficiency = 1;
  double ring_few_loss = 0;
  Pipeline ring;
  // Small messages, flags and data in one write (NCCL's LL):  small_latency_us + X / small_gbytes_per_s
  double small_latency_us = 0;
  double small_gbytes_per_s = 0;  // 0: there is no such way
  // Reduction in the switch (NVLS):  nvls_latency_us + S / (nvls_efficiency rate) + fill, S the size
  double nvls_latency_us = 0;
  double nvls_efficiency = 0;  // 0: there is no such way
  double nvls_least_gpus = 0;
  Pipeline nvls;
  double alltoall_efficiency = 1;
  double p2p_efficiency = 1;
  double p2p_latency_us = 0;

  /// f(name, value, what it is) for each number; the only place where they are listed.
  template <class Self, class F>
  static void walk(Self& self, F&& f) {
    f("latency_us", self.latency_us, "ring: fixed time");
    f("step_us", self.step_us, "ring: time per GPU more");
    f("ring_efficiency", self.ring_efficiency, "ring: bus bandwidth over the rate of the links");
    f("ring_few_loss", self.ring_few_loss, "ring: what of that few GPUs lose, by n^2");
    f("fill_us", self.ring.fill_us, "ring: pipeline fill");
    f("fill_kbytes", self.ring.fill_kbytes, "ring: pipeline buffer");
    f("small_latency_us", self.small_latency_us, "small messages: fixed time");
    f("small_gbytes_per_s", self.small_gbytes_per_s, "small messages: rate");
    f("nvls_latency_us", self.nvls_latency_us, "NVLS: fixed time");
    f("nvls_efficiency", self.nvls_efficiency, "NVLS: size over time over the rate of the links");
    f("nvls_least_gpus", self.nvls_least_gpus, "NVLS: fewer GPUs use the ring");
    f("nvls_fill_us", self.nvls.fill_us, "NVLS: pipeline fill");
    f("nvls_fill_kbytes", self.nvls.fill_kbytes, "NVLS: pipeline buffer");
    f("alltoall_efficiency", self.alltoall_efficiency, "all-to-all: over the rate of the links");
    f("p2p_efficiency", self.p2p_efficiency, "a copy to one GPU: over the rate of the links");
    f("p2p_latency_us", self.p2p_latency_us, "a copy to one GPU: fixed time");
  }
};

/// The network between nodes or NVLink domains, N of them:
///     hop_us log2 N + X / W + fill with L = log2 N,   W = efficiency min(W_inside, m rails B_nic)
/// all-gather, reduce-scatter and broadcast with half of hop_us.
struct Network {
  double hop_us = 0;
  double efficiency = 1;
  Pipeline tree;
  double alltoall_efficiency = 1;
  double p2p_latency_us = 0;
  double hash_spread = 1;  // rho: share of an uplink that hashed flows use; 1 with adaptive routing

  template <class Self, class F>
  static void walk(Self& self, F&& f) {
    f("hop_us", self.hop_us, "time per doubling of the nodes");
    f("efficiency", self.efficiency, "bus bandwidth over what the links carry (eta)");
    f("fill_us", self.tree.fill_us, "pipeline fill per level");
    f("fill_kbytes", self.tree.fill_kbytes, "pipeline buffer per level");
    f("alltoall_efficiency", self.alltoall_efficiency, "all-to-all: over the rate of the NICs");
    f("p2p_latency_us", self.p2p_latency_us, "send and receive: fixed time");
    f("hash_spread", self.hash_spread, "share of uplinks that hashed flows use (rho)");
  }
};

/// How fast a generation of GPUs computes in a training stack, against the best matrix product measured.
struct GpuCompute {
  std::string name;
  double gemm_efficiency = 1;
  double fp8_efficiency = 1;
  double memory_passes = 1;  // bytes read and written per byte of activations that is kept
  double layer_us = 0;  // the least time of a pass: the host can't launch faster (backward: two)

  template <class Self, class F>
  static void walk(Self& self, F&& f) {
    f("gemm_efficiency", self.gemm_efficiency, "matrix products: over the best one measured");
    f("fp8_efficiency", self.fp8_efficiency, "the same in 8 bits");
    f("memory_passes", self.memory_passes, "traffic of what is not a product, per byte kept");
    f("layer_us", self.layer_us, "least time of a layer, micro-batch and pass; backward is two");
  }
};

/// What of a step does not depend on the type of GPU.
struct StepNumbers {
  double gemm_share = 1;         // of the peak, where no matrix product was measured
  double expert_efficiency = 1;  // of products in experts, whose matrices are small, on top
  double hbm_efficiency = 1;
  double overlap_gamma = 1;
  double optimiser_bytes = 0;  // read and written per parameter
  double checkpoint_bytes = 0;
  double jitter_sigma = 0;

  template <class Self, class F>
  static void walk(Self& self, F&& f) {
    f("gemm_share", self.gemm_share, "best matrix product over the peak, where not measured");
    f("expert_efficiency", self.expert_efficiency, "products of experts: over those of others");
    f("hbm_efficiency", self.hbm_efficiency, "memory bandwidth over the datasheet's");
    f("overlap_gamma", self.overlap_gamma, "how well communication hides behind computation");
    f("optimiser_bytes", self.optimiser_bytes, "bytes read and written per parameter");
    f("checkpoint_bytes", self.checkpoint_bytes, "bytes of a checkpoint per parameter");
    f("jitter_sigma", self.jitter_sigma, "spread of the speed of nodes");
  }
};

/// All numbers of the cost model that were measured by somebody, each with its source. Made by io
/// from configs/calibration/*.json; const in a run.
struct Calibration {
  std::string name;
  std::string description;
  std::string nccl;  // the versions that the collectives were measured with
  std::vector<GpuSpec> gpus;
  std::vector<GpuLinks> links;  // by generation of GPU, and "mesh", "pcie", "full"
  Network network;
  std::vector<GpuCompute> compute;  // by GpuSpec::compute
  StepNumbers step;
  std::map<std::string, std::string, std::less<>>
      sources;  // "links/hopper/latency_us" -> where from

  /// Null if it knows no such type: names are compared without case, "NVIDIA" and separators.
  const GpuSpec* gpu(std::string_view type) const;
  /// The index in `links`, or links.size().
  std::size_t links_of(std::string_view name) const;
  /// Null if there is none.
  const GpuCompute* compute_of(std::string_view name) const;
  std::string source(std::string_view path) const;
};

/// All sections, for those who read, write, list or fit them: f(path, value, what it is).
template <class Cal, class F>
void walk_parameters(Cal& calibration, F&& f) {
  for (auto& links : calibration.links)
    GpuLinks::walk(links, [&](std::string_view name, auto& value, std::string_view help) {
      f("links/" + links.name + "/" + std::string{name}, value, help);
    });
  Network::walk(calibration.network,
                [&](std::string_view name, auto& value, std::string_view help) {
                  f("network/" + std::string{name}, value, help);
                });
  for (auto& compute : calibration.compute)
    GpuCompute::walk(compute, [&](std::string_view name, auto& value, std::string_view help) {
      f("compute/" + compute.name + "/" + std::string{name}, value, help);
    });
  StepNumbers::walk(calibration.step,
                    [&](std::string_view name, auto& value, std::string_view help) {
                      f("step/" + std::string{name}, value, help);
                    });
}

}  // namespace muster
