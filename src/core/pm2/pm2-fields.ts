/** The fields of an app that PM2 7 knows (`lib/API/schema.json`), aliases included. A test compares them. */
const PM2_FIELDS: ReadonlySet<string> = new Set(
  `script name name_prefix filter_env namespace install_url cwd args exec_interpreter node_args out_file
  error_file log_file disable_logs log_type log_date_format time env max_memory_restart pid_file restart_delay
  exp_backoff_restart_delay source_map_support disable_source_map_support wait_ready instances kill_timeout
  shutdown_with_message listen_timeout cron_restart merge_logs vizion autostart autorestart stop_exit_codes
  watch_delay watch ignore_watch watch_options min_uptime max_restarts execute_command exec_mode force
  append_env_to_name post_update trace disable_trace v8 event_loop_inspector deep_monitoring increment_var
  instance_var pmx automation treekill port username uid gid windowsHide kill_retry_time write io exec
  interpreter interpreterArgs interpreter_args out output out_log error err err_file err_log log pid cron
  combine_logs user cmd command`.split(/\s+/),
);

/** Whether PM2 reads a field. It takes each in camel case too, and silently drops every other one. */
export function isPm2Field(name: string): boolean {
  return PM2_FIELDS.has(name) || PM2_FIELDS.has(snakeCase(name)) || /^env_\S*$/.test(name);
}

export function pm2Fields(): readonly string[] {
  return [...PM2_FIELDS];
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
