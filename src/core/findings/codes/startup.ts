import type { CodeDocs } from "../rule.ts";

export const startupCodes: CodeDocs = {
  PROFILE_NOT_FOUND: {
    summary: "There is no operational profile of that name.",
    remedy: "Choose one of the names that `svcm env profile list` shows.",
  },
  PROFILE_VALUE_MISSING: {
    summary: "A placeholder of the profile needs a value.",
    remedy:
      "Add it to the command, `svcm env profile apply <profile> KEY=VALUE`; `svcm env profile show` lists the keys.",
  },
  PROFILE_VALUE_UNKNOWN: {
    summary: "The profile does not take a value for this key.",
    remedy: "Leave it out, or write it with `svcm env set KEY=VALUE` after the profile.",
  },
  STARTUP_VALUE_UNSUPPORTED: {
    summary: "The entrypoint cannot start with the value of a key.",
    remedy: "Write one of the values that the message lists with `svcm env set KEY=VALUE`.",
  },
  STARTUP_REALTIME_OFF: {
    summary: "A realtime entrypoint cannot start because `SVC_REALTIME_API` is not `yes`.",
    remedy: "Run `svcm env set SVC_REALTIME_API=yes`, or do not start this entrypoint.",
  },
  STARTUP_PROTOCOL_MISMATCH: {
    summary: "`SVC_REALTIME_API_PROTOCOL` names the other realtime entrypoint.",
    remedy: "Set it to the protocol of the entrypoint that you start: `websocket` or `grpc`.",
  },
  STARTUP_REDIS_URL_MISSING: {
    summary: "The redis-streams adapter has no Redis URL.",
    remedy: "Set SVC_WEBSOCKET_REDIS_URL, or choose another SVC_WEBSOCKET_SOCKETIO_ADAPTER.",
  },
  STARTUP_BROWSER_DRIVER: {
    summary: "A driver that works only in browsers is configured for a process on a server.",
    remedy: "Choose a server-side driver: `svcm startup check` lists what is accepted.",
  },
  STARTUP_DRIVER_NOT_CARRIED: {
    summary: "The backend has no adapter for a value that the runtime contract accepts.",
    explanation:
      "A backend lists what it carries in `svcm.startup.json` beside its env files, and hands the same list to `requireStartup`.",
    remedy: "Choose one of the accepted values, or write the adapter and add its value to the list.",
  },
  STARTUP_DRIVERS_INVALID: {
    summary: "`svcm.startup.json`, or the option `drivers`, is not a list of values by startup key.",
    remedy: 'Write `{ "drivers": { "SVC_DATABASE_DRIVER": ["PostgreSQL", "SQLite"] } }`, with your keys and values.',
  },
  STARTUP_ENTRYPOINT_UNKNOWN: {
    summary: "A program asked `svcm/startup` for an entrypoint that does not exist.",
    remedy: "Pass `rest`, `websocket` or `grpc`.",
  },
  STARTUP_KEYS_UNDECLARED: {
    summary: "The repository's own runtime contract does not declare the keys that the startup contract reads.",
    remedy:
      "Declare each key that the message names in `config/runtime-contract.yaml`, with `kind: enum`, or leave the startup check out of this repository.",
  },
};
