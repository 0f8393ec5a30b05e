import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { canHaveTerminal, inTerminal } from "../support/in-terminal.ts";
import { LAYERED } from "../support/layered.ts";
import { svcm } from "../support/svcm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { makeWorkspace } from "../support/workspace.ts";

/** Values with all characters that are special in a shell. */
const HOSTILE = {
  T_QUOTES: `it's "so" \`called\``,
  T_EXPANDED: "$HOME ${HOME} $(touch pwned) \\ \\n !x",
  T_SPACES: "  lead and trail  ",
  T_HASH: "a #b",
  T_EMPTY: "",
  T_UNICODE: "é 漢 \u{1F600}",
  T_DASH: "-n",
  T_GLOB: "* ~ ? [a] {b,c};&|<>",
  T_EQUALS: "a=b=c",
};
const lines = Object.entries(HOSTILE).map(([key, value]) => {
  const mark = ["'", '"', "`"].find((one) => !value.includes(one));
  return mark === undefined ? `${key}=${value}` : `${key}=${mark}${value}${mark}`;
});
const withKeys = (text: string, ...keys: string[]): string =>
  `${text}${keys.map((key) => `  ${key}: { kind: text, tier: read-only }\n`).join("")}`;
const hostile = {
  ...LAYERED,
  "svcm.yaml": withKeys(LAYERED["svcm.yaml"], ...Object.keys(HOSTILE)),
  ".env.local": `${lines.join("\n")}\n`,
};
const EXPECTED = { PORT: "3000", LOG_LEVEL: "info", ...HOSTILE };

async function exported(files: Readonly<Record<string, string>>, ...args: string[]) {
  const { root } = makeWorkspace(files);
  const ran = await svcm(["env", "export", ...args], { root });
  expect(`${ran.stdout}${ran.stderr}`).not.toContain("canary");
  return ran;
}

const shells = ["sh", "bash", "zsh"].filter((shell) => spawnSync(shell, ["-c", "true"]).status === 0);

describe("env export", () => {
  test.each(shells)("--format shell: %s reads the same values", async (shell) => {
    const { code, stdout } = await exported(hostile);
    expect(code).toBe(0);
    const folder = temporaryFolder();
    writeFileSync(`${folder}/vars`, stdout);
    const show = `eval "$(cat vars)"; exec "${process.execPath}" -p 'JSON.stringify(process.env)'`;
    const out = execFileSync(shell, ["-c", show], {
      cwd: folder,
      env: { PATH: process.env["PATH"] },
      encoding: "utf8",
    });
    expect(JSON.parse(out)).toMatchObject(EXPECTED);
    expect(spawnSync("ls", [folder], { encoding: "utf8" }).stdout).toBe("vars\n");
  });

  test("--format docker: the documented rules of Docker read the same values", async () => {
    const { code, stdout } = await exported(hostile, "--format", "docker");
    expect([code, asDockerReads(stdout)]).toEqual([0, EXPECTED]);
  });

  test("--format json is one object with the values", async () => {
    const { code, stdout } = await exported(hostile, "--format", "json");
    expect([code, JSON.parse(stdout)]).toEqual([0, EXPECTED]);
  });

  test("leaves out secrets and values with credentials, and says how many", async () => {
    const dev = await exported(LAYERED, "--format", "docker");
    expect(dev.stdout).toBe("PORT=3000\nLOG_LEVEL=debug\nTITLE=it is #1\n");
    expect(dev.stderr).toBe("2 keys are secret and left out.\n");
    const production = await exported(LAYERED, "-e", "prod", "--json");
    expect(JSON.parse(production.stdout)).toMatchObject({
      values: { PORT: "3000", LOG_LEVEL: "warn" },
      withheld: ["DATABASE_URL", "API_URL"],
    });
  });

  test("leaves out defaults that no file sets, and has the env of an app if --app names it", async () => {
    const files = { ...LAYERED, ".env": "", ".env.local": "PORT=1\n" };
    expect((await exported(files)).stdout).toBe("export PORT='1'\n");
    const { stdout, stderr } = await exported(files, "--app", "api");
    expect([stdout, stderr]).toEqual([
      "export PORT='1'\nexport LOG_LEVEL='warn'\n",
      "2 keys are secret and left out.\n",
    ]);
  });

  test.each([
    ["a value of several lines", "docker", 'T="a\nb"', "T", "its value holds a line break"],
    ["a name that is not valid for a shell variable", "shell", "a.b=1", "a.b", "only letters, digits and _"],
  ])("refuses %s for %s, and prints nothing", async (_, format, line, key, words) => {
    const files = { ...LAYERED, "svcm.yaml": withKeys(LAYERED["svcm.yaml"], key), ".env.local": `${line}\n` };
    const { code, stdout, stderr } = await exported(files, "--format", format);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${key} cannot be exported: `);
    expect(stderr).toContain(words);
    expect(stderr).toContain("accepted: --format json");
  });

  test.each([[[]], [["--json"]], [["--format", "docker"]]])("--all into a pipe is refused, %j", async (more) => {
    const { code, stdout, stderr } = await exported(LAYERED, "--all", ...more);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain("--all prints secrets, but standard output is not a terminal.");
  });

  test.runIf(canHaveTerminal)("--all in a terminal shows every variable", async () => {
    const workspace = makeWorkspace(LAYERED);
    const { status, screen } = await inTerminal(workspace, ["env", "export", "--all", "--format", "docker"]);
    expect(status).toBe(0);
    expect(screen).toContain("OWN_SECRET=canary-own");
    expect(screen).toContain("DATABASE_URL=postgres://u:canary-database@db/x");
    expect(screen).not.toContain("left out");
    const records = workspace.read(".svcm/audit.jsonl");
    expect(records).toMatch(/"action":"env.export".*"keys":\[.*"OWN_SECRET".*"outcome":"succeeded"/);
    expect(records).not.toContain("canary");
  });
});

/**
 * Parses as `docker run --env-file` does, according to its documentation and source (docker/cli, pkg/kvfile). It ignores
 * white space before a line. `#` begins a comment, and everything after the first `=` is the value.
 */
function asDockerReads(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(/\r?\n/).flatMap((line): [string, string][] => {
      const trimmed = line.replace(/^\s+/, "");
      if (trimmed === "" || trimmed.startsWith("#")) return [];
      const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(trimmed) ?? [];
      expect(key, line).toMatch(/^\S+$/);
      return [[key, value]];
    }),
  );
}
