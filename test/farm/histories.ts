/** Random things that happen to a team's repository and machine. Each reads the world, changes it, and says what it did. */
import { appendFileSync, cpSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { SERVICES, type World } from "./world.ts";

export interface Happening {
  readonly title: string;
  act(world: World, random: () => number): void | Promise<unknown>;
}

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T;

/** A third end within minutes is a crash loop, for which a step is right. */
const KILLS_BEFORE_LOOP = 2;
const LOOP_MS = 5 * 60_000;
const kills = new WeakMap<World, { readonly id: number; readonly atMs: number }[]>();

export const happenings: readonly Happening[] = [
  {
    title: "a module changes in a commit",
    act(world) {
      world.write("web/lib/answer.js", `module.exports = "${(world.version += 1)}";\n`);
      world.commit("answer");
    },
  },
  {
    title: "a module changes without a commit",
    act: (world) => world.write("wrapped/part.js", `module.exports = "${(world.version += 1)}";\n`),
  },
  {
    title: "the last commit is reverted",
    act(world) {
      world.commit("all");
      world.git("revert", "--no-commit", "HEAD");
      world.commit("revert");
    },
  },
  {
    title: "another commit is checked out and left again",
    act(world) {
      world.commit("all");
      world.git("checkout", "--quiet", "HEAD~1");
      world.git("checkout", "--quiet", "main");
    },
  },
  { title: "the link moves to the other release", act: (world) => world.link(world.release === 1 ? 2 : 1) },
  {
    title: "the link moves to a new release with old times",
    act(world, random) {
      const id = 3 + Math.floor(random() * 1e6);
      world.addRelease(id);
      world.link(id);
    },
  },
  { title: "a build writes in place", act: (world) => world.build(String((world.version += 1))) },
  { title: "a build swaps its folder", act: (world) => world.build(String((world.version += 1)), false) },
  {
    title: "a value of the env file changes",
    act: (world) => world.write(".env", `PAGE_SIZE=${(world.version += 1)}\n`),
  },
  {
    title: "a declared value changes",
    act(world) {
      world.greeting = `hello ${(world.version += 1)}`;
      world.declare();
    },
  },
  {
    title: "a variable enters or leaves the ecosystem file",
    act(world) {
      world.extra = world.extra === null ? `extra ${(world.version += 1)}` : null;
      world.declare();
    },
  },
  { title: "PM2 restarts an app", act: (world, random) => world.pm2("restart", pick(SERVICES, random)) },
  { title: "PM2 reloads an app", act: (world, random) => world.pm2("reload", pick(SERVICES, random)) },
  {
    title: "PM2 reloads the file",
    act: (world) =>
      world.pm2("reload", join(world.root, "ecosystem.config.js"), "--only", SERVICES.join(","), "--update-env"),
  },
  {
    title: "a process is killed",
    async act(world, random) {
      const list = (await world.list()).filter(({ name, pid }) => name !== "nightly" && pid > 0);
      const recent = (kills.get(world) ?? []).filter(({ atMs }) => performance.now() - atMs < LOOP_MS);
      const living = list.filter((one) => recent.filter(({ id }) => id === one.pm_id).length < KILLS_BEFORE_LOOP);
      if (living.length === 0) return;
      const { pid, pm_id: id } = pick(living, random);
      kills.set(world, [...recent, { id, atMs: performance.now() }]);
      world.kill(pid);
      await world.untilReplaced(pid, list.length);
    },
  },
  {
    title: "the daemon is killed, and the saved list comes back",
    async act(world) {
      await world.pm2("save", "--force");
      await world.killDaemon();
    },
  },
  { title: "a file is touched", act: (world) => world.touch("web/server.js") },
  { title: "a file's mode changes and returns", act: (world) => world.chmod("web/lib/answer.js") },
  { title: "a log is written beside the code", act: (world) => appendFileSync(join(world.root, "web.log"), "line\n") },
  {
    title: "the documentation changes",
    act(world) {
      world.write("README.md", `${(world.version += 1)}\n`);
      world.commit("docs");
    },
  },
  {
    title: "a package is installed in another version",
    act(world) {
      world.install(String((world.version += 1)));
      world.commit("install");
    },
  },
  {
    title: "a module changes, with its former size and times",
    act(world) {
      const path = join(world.root, "web/lib/answer.js");
      const { atime, mtime } = statSync(path);
      const text = readFileSync(path, "utf8").replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
      world.write("web/lib/answer.js", text);
      utimesSync(path, atime, mtime);
    },
  },
  {
    title: "a module changes and is written back",
    act(world) {
      const text = readFileSync(join(world.root, "wrapped/part.js"), "utf8");
      world.write("wrapped/part.js", "");
      world.write("wrapped/part.js", text);
    },
  },
  {
    title: "a folder is replaced by its copy",
    act(world) {
      const [lib, copy] = ["web/lib", "web/lib.new"].map((path) => join(world.root, path)) as [string, string];
      cpSync(lib, copy, { recursive: true, preserveTimestamps: true });
      rmSync(lib, { recursive: true });
      renameSync(copy, lib);
    },
  },
  {
    title: "a change is stashed and comes back",
    act(world) {
      world.write("wrapped/part.js", `module.exports = "${(world.version += 1)}";\n`);
      world.git("stash", "--quiet");
      world.git("stash", "pop", "--quiet");
    },
  },
  {
    title: "a branch is merged",
    act(world) {
      world.commit("all");
      world.git("checkout", "--quiet", "-b", `work-${(world.version += 1)}`);
      world.write("wrapped/part.js", `module.exports = "${world.version}";\n`);
      world.commit("work");
      world.git("checkout", "--quiet", "main");
      world.git("merge", "--quiet", "--no-ff", "--no-edit", `work-${world.version}`);
    },
  },
  {
    title: "the last commit is amended, and Git forgets the former one",
    act(world) {
      world.write("web/lib/answer.js", `module.exports = "${(world.version += 1)}";\n`);
      world.git("add", "--all");
      world.git("commit", "--quiet", "--amend", "--no-edit");
      world.git("reflog", "expire", "--expire=now", "--all");
      world.git("gc", "--quiet", "--prune=now");
    },
  },
  {
    title: "PM2 stops an app and starts it",
    async act(world, random) {
      const name = pick(SERVICES, random);
      await world.pm2("stop", name);
      await world.pm2("start", name);
    },
  },
  {
    // Without records, Git and the times of files are the evidence: of a commit after a start, only that it differs.
    title: "PM2 restarts everything as committed, and svcm's records are lost",
    async act(world) {
      world.commit("all");
      for (const name of SERVICES) await world.pm2("restart", name);
      rmSync(join(world.own.home, "svcm"), { recursive: true, force: true });
    },
  },
];
