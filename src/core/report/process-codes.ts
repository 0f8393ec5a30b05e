import type { CodeDoc } from "./codes.ts";

/** The codes of PM2, of the way to it, and of what is done to its processes. */
export const processCodes: Readonly<Record<string, CodeDoc>> = {
  PM2_NOT_RUNNING: {
    summary: "No PM2 daemon listens in `PM2_HOME`.",
    explanation:
      "Reading never starts one. Start an app of the ecosystem, `svcm process start <name> --ecosystem`, or set `PM2_HOME` to the PM2 that is meant.",
  },
  PM2_TIMEOUT: {
    summary: "The PM2 daemon did not answer in time.",
    explanation:
      "It may be suspended or overloaded. What was asked is not done later, unless the message says that it had been handed to PM2.",
  },
  PM2_CONNECTION_LOST: {
    summary: "The PM2 daemon, or the worker that talks to it, ended before it answered.",
    explanation:
      "The next call connects anew. Where an action had been handed to PM2, the message says so: look at the list.",
  },
  PM2_HOME_UNUSABLE: {
    summary: "`PM2_HOME` cannot be written, or its path is longer than 97 bytes.",
    explanation: "A socket's address holds 107 bytes; PM2 cuts a longer one off and waits for ever.",
  },
  PM2_LOAD_FAILED: { summary: "The package pm2 cannot be loaded." },
  PM2_START_FAILED: { summary: "A PM2 daemon was to be started and did not come up." },
  PM2_ACTION_FAILED: {
    summary:
      "PM2 refused the action, and its list does not show that it was needless; `details` has its words, without values.",
  },
  PM2_FAILED: { summary: "PM2 or the way to it failed otherwise." },
  PROCESS_NOT_FOUND: { summary: "PM2 lists no such process, or the ecosystem file declares no such app." },
  PROCESS_AMBIGUOUS: { summary: "Different apps have that name: say which by the number or the namespace." },
  PROCESS_ACTION_FAILED: { summary: "Of several processes, some could not be acted on; `details` name them." },
  PROCESS_CHANGED: { summary: "PM2's number means another process now." },
  START_VERIFY_FAILED: {
    summary: "After the start, PM2 lists no process, or none that stays online for a second.",
    explanation: "The process is left as PM2 has it: it may go on restarting. Its output tells why: `pm2 logs <name>`.",
  },
  STOP_VERIFY_FAILED: { summary: "After the stop, PM2 does not list the process as stopped." },
  RESTART_VERIFY_FAILED: { summary: "After the restart, PM2 lists no new run that stays online for a second." },
  SELF_ACTION_BLOCKED: {
    summary: "The process serves this request and cannot stop or restart itself.",
    explanation: "Do it from a terminal. In a namespace, that process is left out and listed under `skipped`.",
  },
  ALREADY_RUNNING: { summary: "Left alone by a start: it runs already." },
  ALREADY_STOPPED: { summary: "Left alone by a stop: it does not run." },
  APP_NOT_DECLARED: { summary: "The ecosystem file declares no app of that name any more." },
  APP_ALREADY_KNOWN: { summary: "PM2 knows an app of that name already." },
};
