import { execFileSync } from "node:child_process";
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
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

/** Creates a repository whose first commit has the files. */
export function makeRepository(files: Readonly<Record<string, string | Uint8Array>>): TestRepository {
  const workspace = makeWorkspace(files, plainEnvironment() as Record<string, string>);
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: workspace.root,
      env: plainEnvironment(GIT_ENVIRONMENT),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const commit = (message = "change"): void => {
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message", message);
  };
  git("init", "--quiet", "--initial-branch=main");
  commit();
  return { ...workspace, git, commit };
}
