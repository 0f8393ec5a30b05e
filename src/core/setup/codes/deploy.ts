import type { CodeDocs } from "../../findings/rule.ts";

export const deployCodes: CodeDocs = {
  DEPLOY_FAILED: {
    summary: "The release could not be made, or its checks found an error. Nothing that runs was touched.",
    explanation:
      "svcm removes the folder of a release that it could not prepare, and keeps the output of its commands.",
    remedy: "Read the reason, correct the commit or the setting, and run `svcm deploy` again.",
  },
  DEPLOY_REFUSED: {
    summary: "The deploy root cannot be used for this deploy.",
    remedy: "Do what the message says. `deploy.root` in svcm.yaml names the folder.",
  },
  DEPLOY_LOCKED: {
    summary: "A deploy or a rollback of the same deploy root is running.",
    remedy: "Wait for it, or give `--lock-timeout` more time. The lock of a dead process is taken over.",
  },
  DEPLOY_ROOT_TAKEN: {
    summary: "The deploy root belongs to another environment or another PM2_HOME.",
    explanation: "A build contains values of its environment, so one root has the releases of one environment.",
    remedy: "Give the environment its own PM2_HOME or its own `deploy.root`.",
  },
  DEPLOY_ROOT_UNUSABLE: {
    summary: "`current` in the deploy root is not a symbolic link.",
    remedy: "Move it away, or name another folder as `deploy.root`.",
  },
  DEPLOY_SOURCE_UNKNOWN: {
    summary: "svcm does not know from where it should fetch the commit.",
    remedy: "Name a remote of the checkout, a path, or a URL as `deploy.source` in svcm.yaml.",
  },
  DEPLOY_FETCH_FAILED: {
    summary: "Git could not fetch from the source of the deploy.",
    explanation: "svcm never answers a question of Git or ssh: a key or a credential helper must work without one.",
    remedy: "Try `git ls-remote <source>` as the same user, and correct the access.",
  },
  REVISION_AMBIGUOUS: {
    summary: "A branch and a tag have the name, and they are different commits.",
    remedy: "Name one of them in full: `refs/heads/<name>` or `refs/tags/<name>`.",
  },
  REVISION_NOT_PUBLISHED: {
    summary: "The commit is in the checkout, and the source of the deploy does not have it.",
    remedy: "Push the commit, then deploy it.",
  },
  SUBMODULE_UNSUPPORTED: {
    summary: "The commit has submodules, and a release would have empty folders in their place.",
    remedy: "Vendor the files, or install the submodule as a package.",
  },
  LFS_MISSING: {
    summary: "The commit has files of Git LFS, and a release would have pointers in their place.",
    remedy: "Keep the files outside of Git and share them with `deploy.shared`, or commit them without LFS.",
  },
  LOCKFILE_AMBIGUOUS: {
    summary: "The release has lockfiles of several package managers.",
    remedy: "Keep one, name the manager as `packageManager` in package.json, or set `deploy.install`.",
  },
  LOCKFILE_MISSING: {
    summary: "package.json has dependencies, and the commit has no lockfile.",
    remedy: "Commit the lockfile, or set `deploy.install` in svcm.yaml.",
  },
  PACKAGE_INVALID: {
    summary: "package.json of the release is not a JSON object.",
    remedy: "Correct the file and commit it.",
  },
  RELEASE_FILE_UNUSABLE: {
    summary: "The tarball or folder of `--from` cannot be used as a release.",
    explanation:
      "svcm reads the list of a tarball before it writes any of it. Files outside of the archive, devices, pipes, `.git`, and links that lead out are refused.",
    remedy:
      "Pack a folder with files, folders and relative links, for example with `tar --create --gzip --file=release.tgz .`.",
  },
  DEPLOY_NO_SPACE: {
    summary: "The disk has too little free space, or too few free files, for a release like the last one.",
    remedy: "Free some space, or keep fewer releases with `deploy.keep`.",
  },
  DEPLOY_COMMAND_FAILED: {
    summary: "The install, the build or the check of the release failed.",
    explanation:
      "Commands see PATH, HOME, the locale, proxies and npm's settings, and `CI=1`. Values of the apps reach only build and check, and only those that `deploy.env` names.",
    remedy: "Read the last lines of its output, correct the commit, and deploy again.",
  },
  DEPLOY_TIMEOUT: {
    summary: "The commands of the release took longer than the timeout of deploy; svcm ended them.",
    remedy: "Find out what they wait for, or set a longer `deploy.timeout` in svcm.yaml.",
  },
  DEPLOY_STOPPED: {
    summary: "The deploy was stopped before its release was prepared.",
    remedy: "Run `svcm deploy` again.",
  },
  DEPLOY_ENV_MISSING: {
    summary: "`deploy.env` names a value that no env file of the environment has.",
    remedy: "Add the key to the env file with `svcm env set`, or remove it from `deploy.env`.",
  },
  DEPLOY_CHECK_FAILED: {
    summary: "The ecosystem file or an env file of the release has errors.",
    remedy:
      "Correct what the message lists. `svcm ecosystem check` and `svcm env check` find the same in the checkout.",
  },
  DEPLOY_PATH_OUTSIDE: {
    summary: "An app of the ecosystem file would run code that is not in the release.",
    explanation:
      "svcm changes paths below the checkout and below `current` to those of the release. Another absolute path stays as it is, so a rollback could not bring back its code.",
    remedy: "Write `script` and `cwd` relative to the ecosystem file, for example with `__dirname`.",
  },
  DEPLOY_NOT_COMMITTED: {
    summary: "svcm.yaml is in the checkout and not in the commit.",
    remedy: "Commit and push it together with the ecosystem files.",
  },
  DEPLOY_INTERRUPTED: {
    summary: "A deploy was killed or lost its machine before its end (a warning of a plan).",
    explanation:
      "Its journal names the step that it had reached. The next deploy ends what it left and removes its folder, or finishes it.",
    remedy: "Run the command of the message.",
  },
  DEPLOY_RUNNING: {
    summary: "A deploy has not ended, and a deploy or a rollback of this repository is running (a warning of a plan).",
    remedy: "Wait for its end, and read the plan again.",
  },
  DEPLOY_COMMITS_DIFFER: {
    summary: "The nodes of one deploy would run different commits or release files. No node was changed.",
    remedy: "Name the commit. With `--from`, bring the same file to each node.",
  },
  DEPLOY_TRIED: {
    summary: "With `--no-retry`, svcm leaves a commit alone whose apply failed here, or was rolled back.",
    remedy: "Push a commit that corrects it, or deploy this one by its name without `--no-retry`.",
  },
  DEPLOY_UNDECIDED: {
    summary: "An app still runs in the checkout, which has files that the release lacks.",
    remedy: "Name each in `deploy.shared` if an app reads or writes it, else in `deploy.left`.",
  },
  SHARED_UNUSABLE: {
    summary: "A shared path is nowhere, or cannot be linked into the release.",
    remedy: "Create it in `shared` of the deploy root, or remove it from `deploy.shared`.",
  },
};
