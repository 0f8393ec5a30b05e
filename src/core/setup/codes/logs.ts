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
  ROTATE_MAY_LOSE: {
    summary: "The file system cannot cut a log off in place, so svcm copies the log and empties it (note).",
    explanation:
      "Lines that a process writes between the last read and the emptying are lost. ext4 and XFS can cut off in place; tmpfs and overlay file systems cannot.",
    remedy: "Nothing to do. To lose nothing, keep the logs on ext4 or XFS, and install `fallocate` of util-linux.",
  },
  ROTATE_NOT_DECLARED: {
    summary: "No declaration says how large a log may become.",
    remedy: "Add `logs: { maxSize: 50M, keep: 10 }` to `svcm.yaml`, or pass `--max-size`.",
  },
  LOG_ROTATED_ELSEWHERE: {
    summary: "Another tool rotates the log, so svcm does not (note).",
    explanation: "Two tools that rotate one file lose and double its lines.",
    remedy: "Nothing to do. If svcm is to rotate it, remove the log from the other tool first.",
  },
  LOG_HELD_WITHOUT_APPEND: {
    summary: "A process has the log open for writing at a fixed place, so cutting it off would leave a hole.",
    explanation: "PM2 opens its logs for appending. Another program has opened this one.",
    remedy: "End the program that the message names, or let it open the log for appending.",
  },
  LOG_HOLDERS_UNKNOWN: {
    summary: "svcm cannot see who has the log open for writing, so it does not touch it.",
    explanation: "It reads `/proc`, which only Linux has, and which hides the processes of other users.",
    remedy: "Run the command as the user of PM2. On other systems, use another tool.",
  },
  LOG_FOLDER_WATCHED: {
    summary: "PM2 watches the folder of the log, so a rotated file there would restart the app.",
    remedy: "Move the log out of the watched folder with `out_file` and `error_file`, or leave them out.",
  },
  LOG_HOME_OF_OTHER_USER: {
    summary: "PM2_HOME belongs to another user, who could lead the rotation of the superuser elsewhere.",
    remedy: "Run the command as that user, for example `sudo -u deploy svcm logs rotate`.",
  },
  LOG_CUT_FAILED: {
    summary: "The head of the log could not be cut off. The log is as it was.",
    remedy: "Read the reason in the message, and repeat the command.",
  },
};
