import { SvcmError } from "../../api/errors.ts";
import { maskCredentials } from "../../secrets/redact.ts";
import type { Checkout, FetchOptions, Source } from "../port-deploy-git.ts";
import type { CommandResult } from "../port-deploys.ts";
import { runCommand } from "./run-command.ts";

const LOCAL: FetchOptions = { timeoutMs: 60_000 };

export interface GitPlace {
  readonly root: string;
  readonly repository: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface RunGitOptions {
  readonly source?: Source;
  readonly options?: FetchOptions;
  readonly extra?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly isInit?: boolean;
}

/** In the bare repository, which no work tree configures. @throws {SvcmError} DEPLOY_FAILED */
export async function runGit(place: GitPlace, args: readonly string[], more: RunGitOptions = {}): Promise<string> {
  const { repository, env } = place;
  const { source, options = LOCAL, extra = {}, cwd = repository, isInit = false } = more;
  const own: Readonly<Record<string, string>> = isInit ? {} : { GIT_DIR: repository };
  const result = await runCommand(["git", "--no-pager", ...args], {
    cwd,
    env: { ...gitEnvironment(env, source?.settings ?? []), ...own, ...extra },
    ...options,
  });
  if (result.end === "exit" && result.exitCode === 0) return result.stdout;
  throw gitFailure(result, options, source);
}

function gitFailure(
  { end, lastLines }: CommandResult,
  { timeoutMs }: FetchOptions,
  source: Source | undefined,
): SvcmError {
  const reason = lastLines.map((line) => line.replace(/^(?:fatal|error): /, "")).join(" ");
  const details =
    end === "timeout"
      ? `git did not finish within ${timeoutMs / 1000} seconds.`
      : maskCredentials(reason || "git gave no reason.");
  if (source === undefined) return new SvcmError("DEPLOY_FAILED", { code: "GIT_FAILED", details });
  const where = maskCredentials(source.url);
  return new SvcmError("DEPLOY_FAILED", {
    code: "DEPLOY_FETCH_FAILED",
    details: `${where} could not be fetched: ${details}`,
  });
}

const FIXED_SETTINGS = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.askPass", ""],
  ["core.autocrlf", "false"],
  ["gc.auto", "0"],
  ["protocol.ext.allow", "never"],
  // Without its own program, a pointer stays, and is found.
  ["filter.lfs.smudge", ""],
  ["filter.lfs.process", ""],
  ["filter.lfs.required", "false"],
] as const;

/** As variables, because arguments are visible to other users. A hook sets variables that point Git elsewhere. */
function gitEnvironment(env: GitPlace["env"], settings: Checkout["settings"]): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || name.startsWith("GIT_") || name === "SSH_ASKPASS" ? [] : [[name, value] as const],
  );
  const sshCommand = settings.findLast(([name]) => name === "core.sshcommand")?.[1] ?? "ssh";
  const all = [...settings.filter(([name]) => name !== "core.sshcommand"), ...FIXED_SETTINGS];
  const variables = all.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    LANGUAGE: "",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GIT_SSH_COMMAND: `${sshCommand} -o BatchMode=yes`,
    GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(variables),
  };
}
