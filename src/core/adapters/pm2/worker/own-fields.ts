import { isPm2Field } from "../../../pm2/pm2-fields.ts";

/**
 * PM2's own fields in its record of a process, besides those that a declaration can have (PM2 5.4 to 7). PM2 keeps the
 * variables of the process beside them.
 */
const OWN = new Set(
  `_pm2_version _tree_pids axm_actions axm_dynamic axm_monitor axm_options command created_at exit_code km_link module_conf
   module_name module_version node_version pid pm_cwd pm_err_log_path pm_exec_path pm_id pm_log_path pm_out_log_path
   pm_pid_path pm_uptime pmx_module prev_restart_delay restart_task restart_time started_as_module status unique_id
   unstable_restarts version versioning vizion_running`.split(/\s+/),
);

/** PM2's own fields have lower-case names. A variable with the name of such a field has changed that field. */
export function isVariable(key: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(key) || !(OWN.has(key) || isPm2Field(key));
}
