#include "device/counters.h"

namespace device {

// The metrics that common/calibration compares the CPU's counters with.
std::string profiler_command() {
  return "ncu --metrics "
         "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,"
         "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,"
         "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,"
         "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,"
         "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum,"
         "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum,"
         "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum,"
         "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum,"
         "smsp__sass_inst_executed_op_shared_ld.sum,"
         "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,"
         "smsp__sass_inst_executed_op_shared_st.sum,"
         "smsp__sass_inst_executed_op_ldgsts.sum,"
         "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum,"
         "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum,"
         "smsp__sass_inst_executed_op_shared_atom.sum,"
         "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum";
}

}  // namespace device
