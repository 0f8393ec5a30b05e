import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { nodeFacts } from "../../../../src/core/project/facts/facts.node.ts";
import { nodeFiles } from "../../../../src/core/files/index.ts";
import { describeError, type Ports } from "../../../../src/core/index.ts";
import {
  packagedRuntimeContract,
  packagedRuntimeContractText,
} from "../../../../src/core/project/facts/packaged.generated.ts";
import { plainEnvironment, RUN } from "../../../support/command-line.ts";
import { asNobody, canBeNobody } from "../../../support/machine.ts";
import { makeWorkspace } from "../../../support/workspace.ts";

const CONTRACT = "config/runtime-contract.yaml";

async function refusalOf(facts: Ports["facts"]) {
  return await facts.runtimeContract().then(() => expect.unreachable(), describeError);
}

describe("a contract file that is", () => {
  test.each([
    ["a FIFO", "ENOTREG", (path: string): unknown => execFileSync("mkfifo", [path])],
    ["a directory", "EISDIR", (path: string) => mkdirSync(path)],
    ["a circle of links", "ELOOP", (path: string) => symlinkSync(path, path)],
    ["a link out of the repository", "EOUTSIDE", (path: string) => symlinkSync("/etc/passwd", path)],
    ["a link to a device", "ENOTREG", (path: string) => symlinkSync("/dev/zero", path)],
    [
      "larger than 1 MiB",
      "EFBIG",
      (path: string) => {
        writeFileSync(path, "");
        truncateSync(path, 2 ** 40);
      },
    ],
    ["not UTF-8", "FACT_INVALID", (path: string) => writeFileSync(path, Buffer.from([0x61, 0xff]))],
  ])("%s is refused with the reason, and applies again after it is corrected", async (_name, code, make) => {
    const workspace = makeWorkspace();
    const { ports } = workspace;
    const path = workspace.path(CONTRACT);
    mkdirSync(workspace.path("config"));
    make(path);
    const refusals = await Promise.all(Array.from({ length: 8 }, () => refusalOf(ports.facts)));
    for (const { status, exitCode, body } of refusals) {
      expect([status, exitCode]).toEqual([500, 3]);
      expect(body).toMatchObject({ error: "Declarative source is invalid.", code, path });
    }
    rmSync(path, { recursive: true });
    workspace.write(CONTRACT, packagedRuntimeContractText);
    expect(await ports.facts.runtimeContract()).toBe(packagedRuntimeContract);
  });

  test.skipIf(!canBeNobody)(
    "in a folder of another user is refused, not a defect (needs root and setpriv)",
    async () => {
      const workspace = makeWorkspace({ [CONTRACT]: packagedRuntimeContractText });
      const { root } = workspace;
      chmodSync(root, 0o755);
      chmodSync(workspace.path("config"), 0o700);
      const argv = [...asNobody, process.execPath, RUN, "matrix", "show", "--root", root, "--json"];
      const { status, stdout } = spawnSync(argv[0] ?? "", argv.slice(1), { env: plainEnvironment(), encoding: "utf8" });
      expect(JSON.parse(stdout)).toMatchObject({ error: "Declarative source is invalid.", code: "EACCES" });
      expect(status).toBe(3);
    },
  );
});

test("a file named config is ignored, and the packaged files apply", async () => {
  const { ports } = makeWorkspace({ config: "" });
  expect(await ports.facts.runtimeContract()).toBe(packagedRuntimeContract);
});

test("concurrent callers share one read, and a caller after a change reads again", async () => {
  const workspace = makeWorkspace({ [CONTRACT]: packagedRuntimeContractText });
  const { root } = workspace;
  const files = nodeFiles({ allowedFolders: [root] });
  const reads: string[] = [];
  const facts = nodeFacts(
    { root, folderVariables: {} },
    {
      read: (file, options) => {
        reads.push(file);
        return files.read(file, options);
      },
    },
  );
  await Promise.all(Array.from({ length: 50 }, () => facts.runtimeContract()));
  expect(reads).toEqual([workspace.path(CONTRACT)]);
  workspace.write(CONTRACT, packagedRuntimeContractText.replace("default: express", "default: fastify"));
  expect((await facts.runtimeContract()).keys["SVC_HTTP_FRAMEWORK"]).toMatchObject({ default: "fastify" });
  expect(reads).toHaveLength(2);
});
