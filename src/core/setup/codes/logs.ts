import type { CodeDocs } from "../../findings/rule.ts";

export const logCodes: CodeDocs = {
  LOGS_FAILED: {
    summary: "The logs of the processes could not be read.",
    remedy:
      "Repeat the command. If it fails again, read the files in the folder `logs` of PM2_HOME, and report the error to the project.",
  },
  LOG_APP_DELETED: {
    summary: "PM2 no longer lists the app; its log files are still there (note).",
    explanation: "svcm finds them by the names that PM2 gives to log files, and in PM2's saved list.",
    remedy: "Nothing to do. Delete the files when you no longer need them.",
  },
  LOG_DISCARDED: {
    summary: "The app's output goes to `/dev/null`, so there are no lines (note).",
    remedy: "Set `out_file` and `error_file` in the ecosystem file, or remove them: PM2 then writes below PM2_HOME.",
  },
  LOG_FILE_DELETED: {
    summary: "A log file is deleted, but a process still writes to it (note).",
    explanation:
      "The lines are lost for every reader, and the disk space is free only when the process closes the file.",
    remedy: "Run `pm2 reloadLogs`: PM2 opens the files again.",
  },
  LOG_CURSOR_STALE: {
    summary: "The cursor names a place that the log files no longer have.",
    explanation:
      "A cursor is valid until the log is rotated or emptied, and until the service restarts. Only the service can make one.",
    remedy: "Read again without `before` and `after`.",
  },
  LOG_PATTERN_INVALID: {
    summary: "The pattern is not a regular expression of JavaScript.",
    remedy: "Correct it, or search for text with `--grep`.",
  },
  LOG_PATTERN_SLOW: {
    summary: "The pattern took longer than five seconds for one line, so svcm stopped the search.",
    explanation: "A repetition inside a repetition, such as `(a+)+$`, may take exponential time.",
    remedy: "Write the pattern without nested repetitions, or search for text with `--grep`.",
  },
  LOG_TOO_MANY_FILES: {
    summary: "The request covers more than 200 log files.",
    remedy: "Name a process, for example `?app=orders-api`.",
  },
};
