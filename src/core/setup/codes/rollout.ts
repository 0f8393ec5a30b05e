import type { CodeDocs } from "../../findings/rule.ts";

export const rolloutCodes: CodeDocs = {
  APP_PORT_TAKEN: {
    summary: "A process that no file declares runs the script of an app, on the port that the app would use.",
    explanation:
      "In fork mode, the app would crash. In cluster mode, both would answer requests on that port, and PM2 would report success.",
    remedy: "If the app was renamed, delete the process with its old name. Otherwise give the app another port.",
  },
  CODE_NOT_RESTORABLE: {
    summary: "The code that a process runs was replaced in place, or its folder was removed (a note of a plan).",
    explanation: "svcm keeps definitions and env files, not code: after the step, a rollback runs the new code.",
    remedy: "Put each release into its own folder, and declare the script there.",
  },
  DUMP_STALE: {
    summary: "The list that PM2 starts at boot is older than the last apply (a note of a plan).",
    explanation: "The apply ran with `--no-save`, failed, or was interrupted before it saved the list.",
    remedy: "Run `svcm apply`: it saves the list. `pm2 save` does so too.",
  },
  ENV_FILE_UNKNOWN_BEFORE: {
    summary: "An env file changed, and svcm has no copy of what the process read (a note of a plan).",
    explanation:
      "Each apply copies the env files of its apps. Before the first apply, svcm knows only their current content.",
    remedy: "Keep the former content yourself until the apply is done. A preflight finds a bad line before it matters.",
  },
  LAYOUT_UNDECIDED: {
    summary: "svcm.yaml lists a PM2 file of the environment without a decision.",
    explanation:
      "`svcm init` found several files that declare the same program, or one that nothing starts, and no script, workflow or running process that shows which one the team uses. A guess would start an app twice, or not at all.",
    remedy:
      "Name the file below `ecosystem` in svcm.yaml, or leave it out. Then run `svcm init --confirm`, which removes the list.",
  },
  LISTEN_TIMEOUT_SHORT: {
    summary: "The app needs almost all of the time that PM2 waits for it to be ready, or more (a note of a plan).",
    explanation:
      "In a cluster, PM2 ends the former process after `listen_timeout`, ready or not. svcm measures this time whenever an apply starts the app, and adds the note if it is above 80 % of `listen_timeout`.",
    remedy: "Declare a `listen_timeout` of at least twice the time that the app needs to be ready.",
  },
  NO_PROBE: {
    summary: "An app has no health probe, so it only has to stay online (a note of a plan).",
    explanation: "svcm derives an app's probe from the suffix of its name, and the port from a declared variable.",
    remedy: "Declare a probe in `rollout.health` of deployments.yaml, or of the service in svcm.yaml.",
  },
  PINNED: {
    summary: "A rollback made the process read a copy of its former env file (a note of a plan).",
    remedy: "Correct the env file, then run `svcm apply`: the process reads the file again.",
  },
  PREFLIGHT_FAILED: {
    summary: "An app was not healthy on a spare port, so svcm changed no process.",
    remedy: "Read the reason, correct the declaration or the code, and apply again.",
  },
  PREFLIGHT_IMPOSSIBLE: {
    summary: "An app cannot have a preflight, a start on a spare port before the change.",
    explanation:
      "A preflight needs a health probe whose port is the value of a variable. With `--preflight` the apply is refused; with `preflight: true` of `rollout`, it is a note of the plan.",
    remedy: "Name the variable in `rollout.health`, for example `api: { port: PORT }`.",
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
  SIBLING_FAILING: {
    summary: "An instance of the app does not stay up, so svcm does not end another one that answers.",
    explanation: "The instances run the same code. If it does not start, the running ones are the last that serve.",
    remedy: "Read why with `svcm why <app>`, correct the code or the declaration, and apply again.",
  },
  WORKTREE_DIRTY: {
    summary: "Files behind the plan differ from the commit, so no commit describes what would run.",
    remedy: "Commit the changes, or apply them with `--allow-dirty`.",
  },
  ENVIRONMENT_SWITCH: {
    summary: "The apply would move running apps to another environment than that of the last apply.",
    explanation:
      "svcm records the environment of each apply in PM2_HOME. An app of the same name then gets other values, and often another port.",
    remedy:
      "Name the environment of this machine with `--environment`, or switch on purpose: `svcm apply --environment <name> --switch-environment`.",
  },
  APPLY_REFUSED: {
    summary: "A step of the plan or of the rollback cannot succeed, so nothing was touched.",
    remedy: "Do what the message says, and read the new plan with `svcm plan`.",
  },
  APPLY_LOCKED: {
    summary: "Another apply or rollback is running on this PM2.",
    remedy: "Wait for it, or give `--lock-timeout` more time. The lock of a dead process is taken over.",
  },
  APPLY_REVERTED: {
    summary: "A step failed, and every touched app has its former definition again.",
    remedy: "Read the reason, correct the declaration or the code, and apply again.",
  },
  APPLY_HALF: {
    summary: "Some apps may run as before, others as declared.",
    explanation: "A step failed and svcm could not restore everything, or the apply was interrupted.",
    remedy: "Look at `svcm plan`. Go on with `svcm apply`, or go back with `svcm rollback <release>`.",
  },
  NOTHING_TO_ROLL_BACK: {
    summary: "This PM2 has no release of this repository, or the release changed no definition.",
    remedy:
      "Check out the former revision, and run `svcm apply`: a rollback leaves code and files as they are. Without a release, apply a plan first.",
  },
  RELEASE_DAMAGED: {
    summary: "The records of a release do not say how to start one of its processes again.",
    remedy: "Start the app from its declaration with `svcm apply`.",
  },
  RELEASE_GONE: {
    summary: "The release is older than the oldest one that is kept, or its code is no longer there.",
    explanation:
      "svcm keeps the newest ten releases, and those whose copies of env files are in use. The others are deleted. A rollback starts former processes, so their script, folder and interpreter must exist; svcm checks that before it touches anything.",
    remedy:
      "Check out the revision of the release, and run `svcm apply`; or put the folder back. `keepReleases` of `rollout` keeps more.",
  },
  RELEASE_NOT_FOUND: {
    summary: "No kept release has this id.",
    remedy: "Choose one that `svcm releases` shows; svcm keeps the newest ten.",
  },
};
