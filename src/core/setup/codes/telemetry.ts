import type { CodeDocs } from "../../findings/rule.ts";

export const telemetryCodes: CodeDocs = {
  HISTORY_FAILED: {
    summary: "The folder `.svcm/history` could not be read.",
    remedy: "Run svcm as the owner of the folder, or remove it: svcm makes a new one.",
  },
  PROMETHEUS_FAILED: {
    summary: "Prometheus did not answer a query for the history in time, or refused it.",
    explanation:
      "A range that begins before the recording of svcm comes from the Prometheus of SVC_SERVICE_MANAGEMENT_PROMETHEUS_URL.",
    remedy: "Read the details. Correct or unset the variable, or request a range that svcm recorded.",
  },
  PROMETHEUS_ANSWER_TOO_LARGE: {
    summary: "Prometheus has too many values for one answer.",
    remedy: "Request fewer series or fewer points.",
  },
  HISTORY_PART_DAMAGED: {
    summary: "A gzipped history file is damaged, for example by a power cut.",
    explanation: "The answer includes the lines before the damage.",
    remedy: "No action is needed. Remove the file to get rid of the message.",
  },
  HISTORY_LINE_TORN: {
    summary: "A history file has incomplete lines, for example because the disk was full.",
    explanation: "The answer includes all other lines.",
    remedy: "No action is needed. svcm drops these lines when it closes the hour.",
  },
  MARK_REFUSED: {
    summary: "The mute or note was not made.",
    remedy: "Read the details: they say what is accepted.",
  },
  MARKS_FAILED: {
    summary: "`.svcm/marks.json` could not be read or written, so nothing is muted.",
    remedy: "Read the details: they name the file and the reason.",
  },
  MARKS_FULL: {
    summary: "There are 500 mutes and notes.",
    remedy: "Remove one: `svcm note APP ''` or `svcm mute APP --off`.",
  },
  MUTE_TIME_INVALID: {
    summary: "The end of a mute is not a time to come, or it is more than 92 days away.",
    remedy: "Name a duration such as `2h`, a day of the week such as `monday`, or a time.",
  },
  NOTHING_TO_MUTE: {
    summary: "The app has no trouble now, and the request names no kind.",
    explanation: "A mute is of the present kinds of trouble, so that a new kind is not silent.",
    remedy: "Check the name with `svcm ls`, or name the kind with `--kind`.",
  },
  ALERT_FAILED: {
    summary: "The webhook, the command or the heartbeat of `alerts` in `svcm.yaml` did not accept a message.",
    remedy: "Read the details, then run `svcm alerts test` to try again.",
  },
  ALERT_VARIABLE_MISSING: {
    summary: "A variable that `alerts` in `svcm.yaml` names is not set where svcm runs, or holds no URL.",
    explanation: "The file holds only the name of the variable, so that the URL stays out of the repository.",
    remedy: "Set the variable to an http or https URL in the environment of `svcm serve`.",
  },
  ALERTS_NOT_DECLARED: {
    summary: "`svcm.yaml` declares no webhook, command or heartbeat for alerts.",
    remedy: "Add `alerts` to `svcm.yaml`, for example `alerts: { webhook: ALERT_WEBHOOK_URL }`.",
  },
  UNSUPPORTED_PLATFORM: {
    summary: "This platform does not report the disk traffic of a process.",
    explanation: "svcm still measures CPU and memory.",
    remedy: "Measure on Linux, where svcm reads `/proc`.",
  },
  ASYNC_CONTEXT_ROUTE_MISSING: {
    summary: "The process has no route `/async-context-metrics`.",
    explanation: "It answered 404 on its `SVC_HTTP_PORT`.",
    remedy: "Serve the route in the process, or measure without `--async-context`.",
  },
  ASYNC_CONTEXT_HTTP_ERROR: {
    summary: "The process answered `/async-context-metrics` with a status other than 200.",
    explanation: "svcm follows no redirect and sends no credential.",
    remedy: "Open the route to 127.0.0.1 without a login or redirect.",
  },
  ASYNC_CONTEXT_TIMEOUT: {
    summary: "The process did not answer `/async-context-metrics` within a second.",
    remedy: "Find the code that blocks its event loop; `svcm metrics show` shows its CPU and memory.",
  },
  ASYNC_CONTEXT_PARSE_ERROR: {
    summary: "The process's answer is not a JSON object of at most 256 KiB.",
    remedy: "Return one JSON object, and drop the oldest stores when it gets too large.",
  },
  ASYNC_CONTEXT_UNREACHABLE: {
    summary: "Nothing answers HTTP on the process's `SVC_HTTP_PORT` on 127.0.0.1.",
    remedy: "Check that the process listens on that port of 127.0.0.1.",
  },
};
