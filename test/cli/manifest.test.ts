import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/command-line.ts";

interface Manifest {
  readonly commands: Readonly<Record<string, CachedCommand>>;
}

interface CachedCommand {
  readonly aliases: readonly string[];
  readonly args: Readonly<Record<string, { options?: string[]; required?: boolean }>>;
  readonly flags: Readonly<Record<string, { char?: string; type: string; options?: string[]; required?: boolean }>>;
  readonly relativePath: readonly string[];
}

const COMMANDS = join(REPOSITORY, "src/commands");
const { commands } = JSON.parse(readFileSync(join(REPOSITORY, "oclif.manifest.json"), "utf8")) as Manifest;

test("the manifest lists exactly the files of src/commands", () => {
  const files = readdirSync(COMMANDS, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && file !== "base.ts" && !file.startsWith("terminal/"))
    .map((file) => file.replace(/\.ts$/, "").replaceAll("/", ":"));
  expect(Object.keys(commands)).toEqual(files.toSorted());
});

test("each command has a file in the build", () => {
  for (const { relativePath } of Object.values(commands)) {
    expect(readFileSync(join(REPOSITORY, ...relativePath), "utf8")).toContain("exports");
  }
});

/** Scripts rely on this list, so a change here is visible to users. */
test("the list of commands matches its snapshot", async () => {
  const list = Object.entries(commands).map(([id, { aliases, args, flags }]) => ({
    command: id.replaceAll(":", " "),
    ...(aliases.length > 0 && { aliases }),
    args: Object.entries(args).map(([name, { options, required }]) => ({ name, required: required ?? false, options })),
    flags: Object.entries(flags)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { char, type, options, required }]) => ({ name, char, type, required: required ?? false, options })),
  }));
  await expect(`${JSON.stringify(list, null, 2)}\n`).toMatchFileSnapshot("command-list.snap.json");
});
