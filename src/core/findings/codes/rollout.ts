import type { CodeDocs } from "../rule.ts";

export const rolloutCodes: CodeDocs = {
  APP_PORT_TAKEN: {
    summary: "A process that no file declares runs the script of an app, on the port on which the app would start.",
    explanation:
      "In fork mode the app would crash. In cluster mode both would answer requests on that port, and PM2 would report success.",
    remedy: "If the app was renamed, delete the process with its old name. Otherwise give the app another port.",
  },
  GAP_BY_FORK: {
    summary: "Requests fail while the app restarts, because it runs in fork mode (a note of a plan).",
    explanation:
      "In fork mode PM2 ends the old process before it starts the new one. In cluster mode a reload keeps the old process until the new one listens, even with one instance.",
    remedy:
      'Declare `exec_mode: "cluster"` and `instances: 1`. From Node.js 22, an app in fork mode can share its port with `listen({ reusePort: true })`.',
  },
  INTERPRETER_IGNORED_IN_CLUSTER: {
    summary: "The app declares an interpreter and runs in cluster mode (a note of a plan).",
    explanation: "In cluster mode every instance runs the Node.js of the PM2 daemon.",
    remedy: 'Remove `interpreter`, or declare `exec_mode: "fork"`.',
  },
  PLAN_STALE: {
    summary: "The plan is out of date: the ecosystem file, an env file or the definition of a process changed.",
    explanation: "A restart of a process does not change a plan.",
    remedy: "Read the new plan with `svcm plan`, and apply it by its id.",
  },
  WORKTREE_DIRTY: {
    summary: "Files behind the plan differ from the commit, so no commit holds what would run.",
    remedy: "Commit the changes, or apply them with `--allow-dirty`.",
  },
  APPLY_LOCKED: {
    summary: "Another apply or rollback of this PM2 runs.",
    remedy: "Wait for it, or give `--lock-timeout` more time. The lock of a dead process is taken over.",
  },
  APPLY_REVERTED: {
    summary: "A step failed, and every touched app runs as before.",
    remedy: "Read the reason, correct the declaration or the code, and apply again.",
  },
  APPLY_HALF: {
    summary: "Some apps may run as before, and others as declared.",
    explanation: "A step failed and not everything could be returned, or the apply was interrupted.",
    remedy: "Look at `svcm plan`. Go on with `svcm apply`, or go back with `svcm rollback <release>`.",
  },
  NOTHING_TO_ROLL_BACK: {
    summary: "This PM2 has no release of this repository.",
    remedy: "Apply something first: svcm records a release for each apply that changes something.",
  },
  RELEASE_GONE: {
    summary: "The records of a release lack a process that has to be started again.",
    remedy: "Start the app from its declaration with `svcm apply`.",
  },
  RELEASE_NOT_FOUND: {
    summary: "No kept release has this id.",
    remedy: "Choose one that `svcm releases list` shows; svcm keeps the newest ten.",
  },
};
