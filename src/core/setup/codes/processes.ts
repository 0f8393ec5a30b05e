import type { CodeDocs } from "../../findings/rule.ts";

export const processCodes: CodeDocs = {
  PM2_NOT_RUNNING: {
    summary: "No PM2 daemon listens in `PM2_HOME`.",
    explanation: "Reading never starts one.",
    remedy:
      "Start an app of the ecosystem file with `svcm start <name> --ecosystem`, or set PM2_HOME to the folder of the right PM2.",
  },
  PM2_TIMEOUT: {
    summary: "The PM2 daemon did not answer in time.",
    explanation:
      "It may be suspended or overloaded. PM2 does not carry out the request later, unless the message says that PM2 already received it.",
    remedy: "Look at the daemon with `ps -fp $(cat $PM2_HOME/pm2.pid)`, and repeat the command when it answers again.",
  },
  PM2_CONNECTION_LOST: {
    summary: "The PM2 daemon, or the worker that talks to it, ended before it answered.",
    explanation: "The next command connects again. If PM2 already received the action, the message says so.",
    remedy: "Run `svcm ls` to see what happened, then repeat the command if it is still needed.",
  },
  PM2_ANSWER_TOO_LARGE: {
    summary: "The program at PM2's socket sends more data than any list of processes needs.",
    remedy: "Check which process listens at `rpc.sock` in PM2_HOME.",
  },
  PM2_HOME_UNUSABLE: {
    summary: "`PM2_HOME` cannot be written, or its path is longer than 97 bytes.",
    explanation: "The address of a socket holds 107 bytes; PM2 truncates a longer address and waits forever.",
    remedy: "Set PM2_HOME to a shorter path that your user can write.",
  },
  PM2_LOAD_FAILED: {
    summary: "svcm finds no PM2 that it may load, and this command needs PM2's code.",
    explanation:
      "svcm uses the team's own PM2, 5.4 or newer: that of the running daemon, of the repository, beside svcm, or on PATH, in this order, and never one that another user owns. Lists, logs, `svcm why` and actions on known processes need none of it.",
    remedy:
      "Run `npm install pm2` in the repository, or `npm install --global pm2`. `svcm doctor` says which one svcm uses.",
  },
  PM2_START_FAILED: {
    summary: "svcm could not start a PM2 daemon.",
    remedy: "Read the end of `pm2.log` in PM2_HOME; check that your user can write that folder.",
  },
  PM2_ACTION_FAILED: {
    summary: "PM2 refused the action; `details` has its message, without values.",
    remedy: "Run `svcm ls` to see the state of the process, and read the end of `pm2.log` in PM2_HOME.",
  },
  PM2_FAILED: {
    summary: "PM2, or the connection to it, failed for another reason.",
    remedy: "Read the details, then the end of `pm2.log` in PM2_HOME.",
  },
  PROCESS_VARIABLE_UNSET: {
    summary: "A variable in the ecosystem file has no value when svcm reads the file (warning).",
    explanation:
      "The file takes the value from the environment. svcm reads the file without your secrets, so a running process keeps its value, and a new process starts without one.",
    remedy:
      "Declare the value in the file, put it into an env file that the app reads, or start the app with PM2 itself.",
  },
  PROCESS_VARIABLE_STAYED: {
    summary: "The process keeps a variable that the ecosystem file no longer declares (warning).",
    remedy: "Run `svcm restart <name> --ecosystem`, which removes it from the process.",
  },
  PROCESS_FIELD_NOT_APPLIED: {
    summary: "A field of the process still differs from the ecosystem file (warning).",
    explanation:
      "A restart or reload with `--ecosystem` applies script, arguments, variables, limits and logs. PM2 applies the mode and `watch` only to a new process, and changes the number of instances only by starting or deleting processes.",
    remedy:
      "For instances, run `svcm scale <name> <count>`. Otherwise run `svcm delete <name>`, then `svcm start <name> --ecosystem`.",
  },
  PROCESS_DRIFT_UNKNOWN: {
    summary: "The action succeeded, but PM2's list could not be read afterwards (warning).",
    explanation: "Without the list, svcm cannot say what still differs from the ecosystem file.",
    remedy: "Run `svcm ecosystem drift` when PM2 answers again.",
  },
  PROCESS_NOT_FOUND: {
    summary: "PM2 lists no such process, or the ecosystem file declares no such app.",
    remedy:
      "Choose a name that `svcm ls` shows, or, for a start with `--ecosystem`, one that `svcm ecosystem show` shows; `--id <n>` takes a number.",
  },
  PROCESS_AMBIGUOUS: {
    summary: "Several apps have this name.",
    remedy: "Select one with `--id <n>` or `--namespace <name>`.",
  },
  PROCESS_ACTION_FAILED: {
    summary: "The action failed for some processes; `details` names them.",
    remedy: "Fix the cause for each process, and repeat the command for these processes.",
  },
  PROCESS_ACTION_REFUSED: {
    summary: "An app cannot run as it is declared, so svcm did not start the action; `details` has the reason.",
    remedy: "Fix the cause for each app, and repeat the command for these apps.",
  },
  PROCESS_CHANGED: {
    summary: "Another process has that number now.",
    remedy: "Run `svcm ls` and use the name, or the new number.",
  },
  PROCESS_FOLDER_MISSING: {
    summary: "The folder in which the process runs does not exist.",
    explanation: "PM2 shows a process as online even if it could not start it in that folder.",
    remedy:
      "Create the folder and run `svcm restart <name>`. If `cwd` in the ecosystem file is wrong, correct it and run `svcm restart <name> --ecosystem`.",
  },
  PROCESS_UNLISTED: {
    summary: "PM2 runs a process that is not in its list.",
    explanation:
      "PM2 loses track of a process that is deleted while PM2 launches or restarts it. An apply changes nothing then, and a delete does not count as done. The process keeps running, and in a cluster it answers some of the requests with its old code.",
    remedy: "End the process by the number that the message names, for example `kill 4711`, and try again.",
  },
  PROCESS_STILL_SCHEDULED: {
    summary: "PM2 starts the stopped app again at the next time of its `cron_restart` (warning).",
    explanation: "PM2 keeps the schedule of an app that it lists, whether the app runs or not.",
    remedy:
      "To end the schedule, run `svcm delete <name>`; `svcm start <name> --ecosystem` brings the app back. Or remove `cron_restart` from the ecosystem file, and apply it.",
  },
  PROCESS_WITHOUT_PID: {
    summary: "PM2 shows the process as online, but it does not run.",
    explanation: "PM2 could not start it, most often because its interpreter is missing.",
    remedy: "Read the end of `pm2.log` in PM2_HOME, fix the cause, and run `svcm restart <name>`.",
  },
  PROCESS_CRASH_LOOP: {
    summary: "The process keeps exiting, and PM2 restarts it each time.",
    explanation: "Between exits, PM2 shows it as online. Requested restarts do not count.",
    remedy:
      "Run `svcm why <name>`, which shows the last end and the last lines of its error log. `svcm stop <name>` ends the loop.",
  },
  PROCESS_MEMORY_LOOP: {
    summary: "PM2 keeps restarting the process, because it exceeds its `max_memory_restart`.",
    explanation: "A limit without a unit is in bytes: `200` is 200 bytes, `200M` is 200 MiB.",
    remedy: "Compare the limit with the memory that `svcm show <name>` shows, and raise it or find the leak.",
  },
  PROCESS_WATCH_LOOP: {
    summary: "PM2 keeps restarting the process, because a watched file keeps changing.",
    explanation: "An app that writes into a folder that PM2 watches restarts itself.",
    remedy: "Name the folder in `ignore_watch` of the ecosystem file, or set `watch: false`.",
  },
  PROCESS_ERRORED: {
    summary: "PM2 has given up on the process after repeated ends, and starts it only on request.",
    explanation: "With a `restart_delay`, PM2 shows such a process as `waiting restart` without end.",
    remedy: "Run `svcm why <name>`, fix the cause, and run `svcm restart <name>`.",
  },
  PROCESS_NOT_LOADED: {
    summary: "The process has written an error since its start, and nothing listens on its port.",
    explanation:
      "PM2 shows a process as online although its script has failed to load: it swallows the error of an ES module.",
    remedy: "Run `svcm why <name>`, fix the error, and run `svcm restart <name>`.",
  },
  PROCESS_HUNG: {
    summary: "The process does not take what waits on its port, or it is suspended.",
    explanation:
      "svcm looks for two seconds, so a server that is only busy does not count. Most often, its event loop is blocked.",
    remedy: "Run `svcm show <name>`, and `svcm restart <name>` if it does not recover.",
  },
  JOB_FAILED: {
    summary: "The last run of a job or task failed.",
    explanation:
      "In cluster mode PM2 records exit code 0 for an uncaught error, so there the error log of the run decides.",
    remedy: "Run `svcm why <name>` for the error, fix it, and run `svcm run <name>`.",
  },
  JOB_MISSED: {
    summary: "A job was due and has not run.",
    explanation: "PM2 starts a job only if its daemon runs at that time, and it does not catch up.",
    remedy: "Run `svcm run <name>` if the run is still needed.",
  },
  JOB_STUCK: {
    summary: "A run of a job or task does not end.",
    explanation:
      "Under PM2 a script that ends without `process.exit()` can stay online. The next run of a job ends such a run.",
    remedy: "Let the script call `process.exit()` at its end. `svcm stop <name>` ends the run.",
  },
  JOB_RUNNING: {
    summary: "The job runs now, so svcm did not start it or change its definition.",
    remedy: "Repeat the command when the run has ended. `svcm stop <name>` ends it at once.",
  },
  NOT_A_JOB: {
    summary: "The process is a service, which runs until it is stopped.",
    explanation: "A job or task has `autorestart: false`.",
    remedy: "Start a service with `svcm start <name>`.",
  },
  START_VERIFY_FAILED: {
    summary: "After the start, PM2 lists no process that stays online for a second.",
    explanation: "svcm leaves the process as it is, so it may keep restarting.",
    remedy: "Run `svcm why <name>`, which shows the last end and the last lines of its error log.",
  },
  STOP_VERIFY_FAILED: {
    summary: "After the stop, PM2 does not list the process as stopped.",
    remedy: "Run `svcm ls`; a process that ignores signals ends after its `kill_timeout`.",
  },
  RESTART_VERIFY_FAILED: {
    summary: "After the restart, PM2 lists no new run that stays online for a second.",
    remedy: "Run `svcm why <name>`, which shows the last end and the last lines of its error log.",
  },
  RELOAD_VERIFY_FAILED: {
    summary: "After the reload, PM2 lists no new run that stays online for a second.",
    explanation: "svcm left the remaining instances as they were.",
    remedy: "Run `svcm why <name>`, which shows the last end and the last lines of its error log.",
  },
  DELETE_VERIFY_FAILED: {
    summary: "After the deletion, PM2 still lists the process.",
    remedy: "Run `svcm ls`; a process that ignores signals ends after its `kill_timeout`.",
  },
  APP_NEVER_SETTLES: {
    summary: "PM2 was still launching the app when the time ran out, so svcm did not act on it.",
    explanation:
      "PM2 takes the end of an app that it is launching for a crash. A stop would leave the app running, and a deletion would leave a process that PM2 does not list.",
    remedy:
      "Give it more time with `--timeout 90s`. An app with `wait_ready` has to call `process.send('ready')`, or PM2 waits for its `listen_timeout`.",
  },
  HEALTH_CRASHED: {
    summary: "A process ended while svcm checked its health.",
    remedy: "Run `svcm why <name>`, which shows the last end and the last lines of its error log.",
  },
  HEALTH_NOT_READY: {
    summary: "A process with `wait_ready` did not report that it is ready within its `listen_timeout`.",
    explanation: "PM2 then shows it as online anyway. In a cluster, it has ended the former process by then.",
    remedy:
      "Call `process.send('ready')` when the app can answer requests, or declare a longer `listen_timeout`. If the code has no such call, remove `wait_ready`.",
  },
  HEALTH_STATUS: {
    summary: "A process answered its health probe three times with a failure.",
    explanation:
      "The suffix of the app's name decides the probe: `/health` for `restapi`, an upgrade at `/socket.io/` for `websocketapi`, and gRPC's health service for `grpcapi`. An app without that path or service only has to stay online.",
    remedy:
      "Send the request yourself, for example `curl -i http://127.0.0.1:<SVC_HTTP_PORT>/health`, and read the error log of the process.",
  },
  HEALTH_UNREACHABLE: {
    summary: "A process did not answer its health probe in time.",
    explanation: "The port is `SVC_HTTP_PORT`, or `SVC_GRPC_PORT` for an app whose name ends with `grpcapi`.",
    remedy:
      "Check that the app listens on that port of 127.0.0.1. If it starts slowly, give it more time: `--timeout 90s`.",
  },
  SELF_ACTION_BLOCKED: {
    summary: "The process serves this request and cannot stop or restart itself.",
    explanation: "An action on a namespace leaves this process out and lists it under `skipped`.",
    remedy: "Run `svcm restart` or `svcm stop` in a terminal.",
  },
  ALREADY_RUNNING: {
    summary: "The process is already running, so the start did not change it.",
    remedy: "Use `svcm restart <name>` to start it again.",
  },
  ALREADY_STOPPED: {
    summary: "The process is not running, so the stop did not change it.",
    remedy: "No action is needed; `svcm start <name>` starts it.",
  },
  JOB_WAITS: {
    summary: "The job or task does not run now, as it should, so an action on its app or on many apps did not run it.",
    remedy: "Run `svcm run <name>` to run it once.",
  },
  APP_ALREADY_KNOWN: {
    summary: "PM2 already has an app with that name.",
    remedy: "Use `svcm start <name>` or `svcm restart <name> --ecosystem`.",
  },
};
