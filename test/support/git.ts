import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { plainEnvironment } from "./command-line.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

/** A repository in a temporary folder, independent of this machine's Git configuration. */
export interface TestRepository extends TestWorkspace {
  /** Runs `git` in the repository and returns its output. */
  git(...args: string[]): string;
  /** Commits everything in the work tree. */
  commit(message?: string): void;
}

export const GIT_ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: join(import.meta.dirname, "git.config"),
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

/** One shell starts the commands, because the start of a program from the large process of a worker takes longer. */
export const INIT = "git init --quiet --initial-branch=main";
export const COMMIT = 'git add --all && git commit --quiet --allow-empty --message "$1"';

/** Creates a repository whose first commit has the files. */
export function makeRepository(files: Readonly<Record<string, string | Uint8Array>>): TestRepository {
  const workspace = makeWorkspace(files, plainEnvironment() as Record<string, string>);
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, {
      cwd: workspace.root,
      env: plainEnvironment(GIT_ENVIRONMENT),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  run("sh", "-c", `${INIT} && ${COMMIT}`, "sh", "change");
  return {
    ...workspace,
    git: (...args) => run("git", ...args),
    commit: (message = "change") => void run("sh", "-c", COMMIT, "sh", message),
  };
}
