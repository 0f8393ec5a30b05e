import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { svcm } from "../support/svcm.ts";
import { canHaveTerminal, inTerminal } from "../support/in-terminal.ts";
import { LAYERED } from "../support/layered.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { makeWorkspace, type TestWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

interface Edited {
  readonly code: number | null;
  readonly text: string;
  readonly stderr: string;
  readonly kept: string | undefined;
  readonly workspace: TestWorkspace;
}

async function edit(script: string, args: readonly string[] = [], workspace = makeWorkspace(LAYERED)): Promise<Edited> {
  const scratch = temporaryFolder();
  workspace.write("editor.sh", script);
  const env = { EDITOR: `sh ${workspace.path("editor.sh")}`, TMPDIR: scratch };
  const { code, stdout, stderr } = await svcm(["env", "edit", ...args], { root: workspace.root, env });
  const text = stdout + stderr;
  expect(text).not.toContain("canary");
  const [folder] = readdirSync(scratch);
  const kept = folder === undefined ? undefined : readFileSync(`${scratch}/${folder}/.env.local`, "utf8");
  if (folder !== undefined) expect(text).toContain(`Your version is kept in ${scratch}/${folder}/.env.local`);
  return { code, text, stderr, kept, workspace };
}

const records = (workspace: TestWorkspace): unknown[] =>
  workspace
    .read(".svcm/audit.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

test("the editor receives a copy of the layer that is written, in a folder that only its user may enter", async () => {
  const { code, workspace } = await edit(
    'stat -c "%a" "$1" "$(dirname "$1")" > seen; echo "$TMPDIR" >> seen; echo "$1" >> seen; cat "$1" >> seen',
  );
  expect(code).toBe(0);
  const [file, folder, temporary, path = "", ...content] = workspace.read("seen").split("\n");
  expect([file, folder, temporary]).toEqual(["600", "700", dirname(path)]);
  expect(content.join("\n")).toBe(LAYERED[".env.local"]);
  expect(existsSync(dirname(path))).toBe(false);
});

test("a changed value of an editable key is written exactly as it was edited, and recorded", async () => {
  const { code, text, workspace, kept } = await edit(
    `sed -i 's/=debug/=info/; 1s/mine/ours/' "$1"; echo '# end' >> "$1"`,
  );
  expect([code, text, kept]).toEqual([
    0,
    "Changed in .env.local:\n  LOG_LEVEL=info\nWarning: dev.config.cjs sets LOG_LEVEL for api and wins.\n",
    undefined,
  ]);
  const expected = `${LAYERED[".env.local"].replace("=debug", "=info").replace("mine", "ours")}# end\n`;
  expect(workspace.read(".env.local")).toBe(expected);
  expect(records(workspace)).toMatchObject([
    { action: "env.write", environment: "dev", keys: ["LOG_LEVEL"], outcome: "started" },
    { action: "env.write", environment: "dev", keys: ["LOG_LEVEL"], outcome: "succeeded" },
  ]);
});

longTest("VISUAL takes precedence over EDITOR, and an editor may replace the file", async () => {
  const workspace = makeWorkspace(LAYERED);
  workspace.write("visual.sh", `sed 's/debug/info/' "$2" > "$2.new" && mv "$2.new" "$2"`);
  const env = { EDITOR: "false", VISUAL: `sh ${workspace.path("visual.sh")} --wait` };
  const { code } = await svcm(["env", "edit"], { root: workspace.root, env });
  expect([code, workspace.read(".env.local")]).toEqual([0, LAYERED[".env.local"].replace("debug", "info")]);
});

test("an editor that changes nothing writes nothing and records nothing", async () => {
  const { code, text, workspace } = await edit("true");
  expect([code, text]).toEqual([0, "No change in .env.local.\n"]);
  expect(existsSync(workspace.path(".svcm/audit.jsonl"))).toBe(false);
});

test("a change of comments alone is written, and the output says so", async () => {
  const { text, workspace } = await edit(`sed -i '1d' "$1"`);
  expect(text).toBe("Changed in .env.local: comments or layout, no values.\n");
  expect(workspace.read(".env.local")).toBe(LAYERED[".env.local"].replace(/^.*\n/, ""));
});

describe("nothing is written, and the user's version is kept,", () => {
  test.each([
    [
      "if a secret changed",
      "sed -i s/canary-own/new/",
      "svcm.yaml does not declare OWN_SECRET",
      "ENV_KEY_NOT_EDITABLE",
    ],
    [
      "if a secret was removed",
      "sed -i /OWN_SECRET/d",
      "svcm.yaml does not declare OWN_SECRET",
      "ENV_KEY_NOT_EDITABLE",
    ],
    ["if a read-only key was added", `sed -i '$aPORT=1'`, "PORT is not editable", "ENV_KEY_NOT_EDITABLE"],
    [
      "if a value is not accepted",
      "sed -i s/debug/loud/",
      '.env.local:2:11: LOG_LEVEL: unsupported value "loud"',
      "ENV_VALUE_UNSUPPORTED",
    ],
    ["if a key is there twice", `sed -i '$aTITLE=two'`, "TITLE occurs again on line 5", "ENV_KEY_DUPLICATE"],
    [
      "if a line assigns nothing",
      `sed -i '$aloose words'`,
      ".env.local:5:1: the line assigns nothing",
      "ENV_LINE_UNREADABLE",
    ],
  ])("%s", async (_, script, words, name) => {
    const { code, stderr, workspace, kept } = await edit(`${script} "$1"`);
    expect([code, stderr.split("\n")[0]]).toEqual([1, "Error: Nothing was written."]);
    expect(stderr).toContain(words);
    expect(stderr).toContain(name);
    expect(workspace.read(".env.local")).toBe(LAYERED[".env.local"]);
    expect(kept).not.toBe(LAYERED[".env.local"]);
    expect(records(workspace)).toMatchObject([{ outcome: "refused", environment: "dev" }]);
  });

  test("if the editor fails after a change", async () => {
    const { code, stderr, workspace, kept } = await edit(`sed -i s/debug/info/ "$1"; exit 7`);
    expect(code).toBe(3);
    expect(stderr).toContain("ended with exit code 7, so nothing was written.");
    expect(kept).toContain("LOG_LEVEL=info");
    expect(workspace.read(".env.local")).toBe(LAYERED[".env.local"]);
  });

  test("if the file itself was changed in the meantime", async () => {
    const { code, stderr, workspace, kept } = await edit(
      `sed -i s/debug/info/ "$1"; echo 'LOG_LEVEL=warn' > .env.local`,
    );
    expect(code).toBe(3);
    expect(stderr).toContain("has changed since it was read");
    expect(kept).toContain("LOG_LEVEL=info");
    expect(workspace.read(".env.local")).toBe("LOG_LEVEL=warn\n");
  });
});

longTest("an error that the file already had does not prevent another change", async () => {
  const files = { ...LAYERED, ".env.local": "LOG_LEVEL=loud\nTITLE=a\nTITLE=b\nstray\n" };
  const { code, workspace } = await edit(
    `sed -i '1i# first' "$1"; sed -i s/TITLE=b/TITLE=c/ "$1"`,
    [],
    makeWorkspace(files),
  );
  expect(code).toBe(0);
  expect(workspace.read(".env.local")).toBe("# first\nLOG_LEVEL=loud\nTITLE=a\nTITLE=c\nstray\n");
});

test("a file that does not exist is refused before an editor opens", async () => {
  const { ".env.local": _, ...files } = LAYERED;
  const { code, text, workspace } = await edit("touch opened", [], makeWorkspace(files));
  expect([code, text]).toEqual([3, expect.stringContaining(".env.local does not exist")]);
  expect(existsSync(workspace.path("opened"))).toBe(false);
});

describe.runIf(canHaveTerminal)("in a terminal", () => {
  /** An editor that writes an invalid value the first time and a valid one the second time. */
  const script = 'if grep -q loud "$1"; then sed -i s/loud/warn/ "$1"; else sed -i s/debug/loud/ "$1"; fi';

  longTest("a user may edit the same copy again after a refusal", async () => {
    const workspace = makeWorkspace({ ...LAYERED, "editor.sh": script });
    const env = { EDITOR: `sh ${workspace.path("editor.sh")}`, TMPDIR: temporaryFolder() };
    const { status, screen } = await inTerminal(workspace, ["env", "edit"], [["Edit again? [y/N] ", "y\n"]], env);
    expect(status).toBe(0);
    expect(screen).toMatch(/unsupported value "loud".*Changed in \.env\.local:\n {2}LOG_LEVEL=warn\n$/s);
    expect(workspace.read(".env.local")).toBe(LAYERED[".env.local"].replace("debug", "warn"));
    expect(readdirSync(env.TMPDIR)).toEqual([]);
  });

  test("a user who does not want to edit again keeps the copy", async () => {
    const workspace = makeWorkspace({ ...LAYERED, "editor.sh": script });
    const env = { EDITOR: `sh ${workspace.path("editor.sh")}`, TMPDIR: temporaryFolder() };
    const { status, screen } = await inTerminal(workspace, ["env", "edit"], [["Edit again? [y/N] ", "n\n"]], env);
    expect(status).toBe(1);
    expect(screen).toContain(`Your version is kept in ${env.TMPDIR}/`);
    expect(workspace.read(".env.local")).toBe(LAYERED[".env.local"]);
  });
});

test("an editor that fails leaves no copy if it changed nothing", async () => {
  const { code, stderr, kept } = await edit("exit 1");
  expect([code, kept]).toEqual([3, undefined]);
  expect(stderr).toContain("ended with exit code 1, so nothing was written. The copy was not changed, and is deleted.");
  expect(stderr).toContain("ENV_EDITOR_FAILED (svcm explain ENV_EDITOR_FAILED)");
});

/** Without a terminal, what the editor prints may be the file, so svcm drops it. */
test("with --json, standard output has only the result, and a refusal has the path of the kept copy", async () => {
  const workspace = makeWorkspace(LAYERED);
  const env = { EDITOR: "sh -c 'echo words of the editor; sed -i s/debug/loud/ \"$0\"'", TMPDIR: temporaryFolder() };
  const { code, stdout, stderr } = await svcm(["env", "edit", "--json"], { root: workspace.root, env });
  const body = JSON.parse(stdout) as { details: string };
  expect([code, stderr, body]).toMatchObject([1, "", { issues: [{ code: "ENV_VALUE_UNSUPPORTED" }] }]);
  const [, path = ""] = /Your version is kept in (\S+)\.$/.exec(body.details) ?? [];
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(stdout).not.toContain("canary");
});
