#pragma once
#include <coin/Clp_C_Interface.h>

#include <string>

namespace muster::rounds {

/// COIN-OR's CLP by its C interface, loaded when a program is solved for the first time: it brings eight libraries
/// along (LAPACK and Fortran's among them), which take a fifth of a short run to load, and few policies have
/// programs to solve. Without it all others work.
class Clp {
 public:
  /// InputError if it is not there.
  static const Clp& loaded();
  /// From the shared library of this name, for ever. InputError if it is not there, or is another one.
  explicit Clp(const char* library);

 private:
  std::string library_;
  void* handle_;

  /// What has this name in the library, to be taken for the function that it is.
  struct Symbol {
    void* at;
    template <class Function>
    operator Function*() const {  // NOLINT(google-explicit-constructor)
      return reinterpret_cast<Function*>(at);
    }
  };
  Symbol symbol(const char* name) const;

 public:
  decltype(Clp_newModel)* const new_model = symbol("Clp_newModel");
  decltype(Clp_deleteModel)* const delete_model = symbol("Clp_deleteModel");
  decltype(Clp_setLogLevel)* const set_log_level = symbol("Clp_setLogLevel");
  decltype(Clp_loadProblem)* const load_problem = symbol("Clp_loadProblem");
  decltype(Clp_setOptimizationDirection)* const set_optimization_direction =
      symbol("Clp_setOptimizationDirection");
  decltype(Clp_addColumns)* const add_columns = symbol("Clp_addColumns");
  decltype(Clp_columnLower)* const column_lower = symbol("Clp_columnLower");
  decltype(Clp_columnUpper)* const column_upper = symbol("Clp_columnUpper");
  decltype(Clp_objective)* const objective = symbol("Clp_objective");
  decltype(Clp_copyinStatus)* const copyin_status = symbol("Clp_copyinStatus");
  decltype(Clp_primal)* const primal = symbol("Clp_primal");
  decltype(Clp_status)* const status = symbol("Clp_status");
  decltype(Clp_getColSolution)* const col_solution = symbol("Clp_getColSolution");
  decltype(Clp_getRowPrice)* const row_price = symbol("Clp_getRowPrice");
  decltype(Clp_getObjCoefficients)* const obj_coefficients = symbol("Clp_getObjCoefficients");
};

}  // namespace muster::rounds
