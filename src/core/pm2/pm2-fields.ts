import { isRecord } from "../words/record.ts";
import type { Data } from "./loaded.ts";
import { parsePort } from "../words/numbers.ts";

/** PM2 accepts numeric text as a number. */
interface FieldType {
  /** Completes the sentence "<field> is not …". */
  readonly expected: string;
  readonly accepts: (value: Data) => boolean;
  readonly fields: string;
}

const isText = (value: Data): boolean => typeof value === "string";
const isSwitch = (value: Data): boolean => typeof value === "boolean";
const isList = (value: Data): boolean => Array.isArray(value);
const isNumber = (value: Data): boolean => typeof value === "number" || (isText(value) && !Number.isNaN(Number(value)));
const matches = (value: Data, pattern: RegExp): boolean => typeof value === "string" && pattern.test(value);

/** PM2 7, `lib/API/schema.json`. A test compares this list with PM2's. */
const FIELD_TYPES: readonly FieldType[] = [
  {
    expected: "text",
    accepts: isText,
    fields: `script exec cmd command name name_prefix namespace install_url cwd exec_interpreter interpreter out_file out
      output out_log error_file error err err_file err_log log_type log_date_format pid_file pid increment_var
      instance_var username`,
  },
  {
    expected: "true or false",
    accepts: isSwitch,
    fields: `disable_logs time source_map_support disable_source_map_support wait_ready shutdown_with_message merge_logs
      combine_logs vizion autostart autorestart execute_command force append_env_to_name trace disable_trace v8
      event_loop_inspector deep_monitoring automation treekill windowsHide write`,
  },
  {
    expected: "a number",
    accepts: isNumber,
    fields: "restart_delay exp_backoff_restart_delay kill_timeout listen_timeout watch_delay port kill_retry_time",
  },
  { expected: "a number from 0 on", accepts: (v) => isNumber(v) && Number(v) >= 0, fields: "max_restarts" },
  {
    expected: 'a number or "max"',
    accepts: (v) => typeof v === "number" || matches(v, /^(?:max|-?\d+)$/),
    fields: "instances",
  },
  {
    expected: 'a number of milliseconds from 100 on, or text such as "10s"',
    accepts: (v) => (isNumber(v) ? Number(v) >= 100 : matches(v, /^\d+[hms]$/)),
    fields: "min_uptime",
  },
  {
    expected: 'a number of bytes, or text such as "300M"',
    accepts: (v) => isNumber(v) || matches(v, /^\d+[GMK]$/),
    fields: "max_memory_restart",
  },
  {
    expected: "fork or cluster",
    accepts: (v) => matches(v, /^(?:fork|cluster)(?:_mode)?$/),
    fields: "exec_mode",
  },
  { expected: "text or a number", accepts: (v) => isText(v) || isNumber(v), fields: "cron_restart cron uid user gid" },
  { expected: "text, true or false", accepts: (v) => isText(v) || isSwitch(v), fields: "log_file log pmx" },
  {
    expected: "a list or text",
    accepts: (v) => isList(v) || isText(v),
    fields: "args node_args interpreterArgs interpreter_args ignore_watch",
  },
  {
    expected: "a list, text, true or false",
    accepts: (v) => isList(v) || isText(v) || isSwitch(v),
    fields: "filter_env watch",
  },
  { expected: "a list or a number", accepts: (v) => isList(v) || isNumber(v), fields: "stop_exit_codes" },
  { expected: "a list", accepts: isList, fields: "post_update" },
  { expected: "an object", accepts: isRecord, fields: "env watch_options io" },
];

const TYPE_BY_FIELD: ReadonlyMap<string, FieldType> = new Map(
  FIELD_TYPES.flatMap((type) => type.fields.split(/\s+/).map((field) => [field, type] as const)),
);

function typeOf(field: string): FieldType | undefined {
  return TYPE_BY_FIELD.get(field) ?? TYPE_BY_FIELD.get(snakeCase(field));
}

export function isPm2Field(field: string): boolean {
  return typeOf(field) !== undefined || /^env_\S*$/.test(field);
}

/** The type that PM2 requires, such as `a number`. PM2 ignores falsy values. */
export function expectedType(field: string, value: Data): string | undefined {
  const type = typeOf(field);
  return !value || type === undefined || type.accepts(value) ? undefined : type.expected;
}

export function pm2Fields(): readonly string[] {
  return [...TYPE_BY_FIELD.keys()];
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Fields of a record that no declaration can have (PM2 5.4 to 7). */
const OWN_FIELDS = new Set(
  `_pm2_version _tree_pids axm_actions axm_dynamic axm_monitor axm_options command created_at exit_code km_link module_conf
   module_name module_version node_version pid pm_cwd pm_err_log_path pm_exec_path pm_id pm_log_path pm_out_log_path
   pm_pid_path pm_uptime pmx_module prev_restart_delay restart_task restart_time started_as_module status unique_id
   unstable_restarts version versioning vizion_running`.split(/\s+/),
);

/** PM2's own fields have lower-case names. */
export function isVariable(key: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(key) || !(OWN_FIELDS.has(key) || isPm2Field(key));
}

/** PM2's daemon reads the same names only from a file, not from its record of a process. */
const UNREAD_FIELDS = new Set(
  `append_env_to_name cmd combine_logs cron cwd err err_file err_log error exec execute_command force install_url
   interpreter interpreterArgs interpreter_args io log name_prefix out out_log output port script time user write`.split(
    /\s+/,
  ),
);

/** PM2 copies the variables over its record of the process, so such a variable overwrites a field. */
export function reservedVariable(key: string): "overwrites" | "same-name" | undefined {
  if (isVariable(key)) return undefined;
  return UNREAD_FIELDS.has(key) ? "same-name" : "overwrites";
}

export type ExecMode = "fork" | "cluster";

/** Others, such as `SVC_REDIS_PORT`, have the port of another service. */
export const LISTEN_VARIABLES =
  /^(?:PORT|PM2_SERVE_PORT|SVC_(?:HTTP|REST|WEBSOCKET|GRPC|METRICS|SERVICE_MANAGEMENT)_PORT)$/;

/** The ports that an app has in its variables to listen on. */
export function listenPorts(environment: Readonly<Record<string, unknown>>): number[] {
  const ports = Object.entries(environment)
    .filter(([variable]) => LISTEN_VARIABLES.test(variable))
    .flatMap(([, value]) => parsePort(value) ?? []);
  return [...new Set(ports)];
}
