import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ecosystemLoader } from "../../../../src/core/adapters/ecosystem-loader/index.ts";
import { oneAtATime } from "../../../../src/core/adapters/ecosystem-loader/one-at-a-time.ts";
import type { EcosystemLoader } from "../../../../src/core/ports.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function loaderIn(root: string): EcosystemLoader {
  return ecosystemLoader({ root, env: { PATH: process.env["PATH"] } });
}

async function namesOf(loader: EcosystemLoader, path: string): Promise<unknown[]> {
  return (await loader.load(path)).apps.map(({ fields }) => fields["name"]);
}

test.each([
  ["x.config.cjs", 'module.exports = { apps: [{ name: "a", script: "a.js" }] };'],
  ["x.config.js", 'module.exports = { apps: { name: "a", script: "a.js" } };'],
  ["x.config.mjs", 'export const apps = [{ name: "a", script: "a.js" }];'],
  ["x.config.mjs", 'export default { apps: [{ name: "a", script: "a.js" }] };'],
  ["x.config.cjs", 'module.exports = { pm2: [{ name: "a", script: "a.js" }] };'],
  ["x.config.cjs", 'module.exports = [{ name: "a", script: "a.js" }];'],
  ["x.config.cjs", 'module.exports = { name: "a", script: "a.js" };'],
  ["x.config.json", '{ "apps": [{ "name": "a", "script": "a.js" }] }'],
  ["x.config.json", '{ apps: [{ name: "a", /* as PM2 reads it */ script: "a.js", }] }'],
  ["x.config.yaml", "apps:\n  - name: a\n    script: a.js\n"],
  ["x.config.yml", "base: &base { name: a }\napps:\n  - <<: *base\n    script: a.js\n"],
])("%s: %s", async (name, text) => {
  const root = temporaryFolder();
  writeFileSync(join(root, name), text);
  expect(await namesOf(loaderIn(root), join(root, name))).toEqual(["a"]);
});

test("each read runs the file afresh, and what it requires", async () => {
  const root = temporaryFolder();
  const [file, nested] = [join(root, "x.config.cjs"), join(root, "nested.cjs")];
  const loader = loaderIn(root);
  writeFileSync(file, 'module.exports = { apps: [{ name: require("./nested.cjs"), script: "a.js" }] };');
  for (const name of ["one", "two", "three"]) {
    writeFileSync(nested, `module.exports = ${JSON.stringify(name)};`);
    expect(await namesOf(loader, file)).toEqual([name]);
  }
  writeFileSync(file, 'module.exports = { apps: [{ name: "four", script: "a.js" }] };');
  expect(await namesOf(loader, file)).toEqual(["four"]);
});

test("callers at once share a run: one runs, one waits", async () => {
  const root = temporaryFolder();
  const [file, log] = [join(root, "x.config.cjs"), join(root, "runs")];
  writeFileSync(file, `require("fs").appendFileSync(${JSON.stringify(log)}, "x"); module.exports = { apps: [] };`);
  const loader = loaderIn(root);
  await Promise.all(Array.from({ length: 50 }, () => loader.load(file)));
  expect(readFileSync(log, "utf8")).toBe("xx");
});

test("a caller that gives up ends the run, unless another one waits for it", async () => {
  const root = temporaryFolder();
  const file = join(root, "x.config.cjs");
  writeFileSync(file, "for (;;);");
  const stop = new AbortController();
  const loading = loaderIn(root).load(file, stop.signal);
  stop.abort(new Error("enough"));
  await expect(loading).rejects.toThrow("enough");
  const late = AbortSignal.abort(new Error("too late"));
  await expect(loaderIn(root).load(file, late)).rejects.toThrow("too late");
});

describe("one at a time", () => {
  interface Begun {
    readonly end: (value: string) => void;
    readonly signal: AbortSignal;
  }

  /** Work that ends when it is told to. */
  function controlled() {
    const begun: Begun[] = [];
    const waiting: ((work: Begun) => void)[] = [];
    const ask = oneAtATime((_key, signal) => {
      return new Promise<string>((resolve, reject) => {
        const work = { end: resolve, signal };
        begun.push(work);
        waiting.shift()?.(work);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    /** The work that begins next. */
    const next = (): Promise<Begun> => new Promise((resolve) => void waiting.push(resolve));
    return { begun, next, ask };
  }

  test("who comes while one waits shares it; another key does not wait", async () => {
    const { begun, next, ask } = controlled();
    const answers = [ask("a"), ask("a"), ask("a"), ask("b")];
    expect(begun).toHaveLength(2);
    const second = next();
    begun[1]?.end("other");
    begun[0]?.end("first");
    (await second).end("second");
    expect(await Promise.all(answers)).toEqual(["first", "second", "second", "other"]);
    expect(begun).toHaveLength(3);
  });

  test("work is aborted when its last caller gives up, and the next one begins anew", async () => {
    const { begun, next, ask } = controlled();
    const [one, two] = [new AbortController(), new AbortController()];
    const first = ask("a");
    const shared = [ask("a", one.signal), ask("a", two.signal)];
    one.abort(new Error("one"));
    await expect(shared[0]).rejects.toThrow("one");
    const second = next();
    begun[0]?.end("first");
    expect(await first).toBe("first");
    const { signal } = await second;
    expect(signal.aborted).toBe(false);
    const third = next();
    two.abort(new Error("two"));
    await expect(shared[1]).rejects.toThrow("two");
    expect(signal.aborted).toBe(true);
    const again = ask("a");
    (await third).end("again");
    expect(await again).toBe("again");
  });

  test("who gives up before it begins leaves no work behind, and the next caller gets some of its own", async () => {
    const { begun, next, ask } = controlled();
    const stop = new AbortController();
    const first = ask("a");
    const left = ask("a", stop.signal);
    stop.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    const late = ask("a");
    const second = next();
    begun[0]?.end("first");
    expect(await first).toBe("first");
    (await second).end("late");
    expect(await late).toBe("late");
    expect(begun).toHaveLength(2);
  });

  test("a failure is that of its callers only", async () => {
    let calls = 0;
    const ask = oneAtATime(async () => {
      calls += 1;
      if (calls === 1) throw new Error("first");
      return calls;
    });
    const [first, second] = [ask("a"), ask("a")];
    await expect(first).rejects.toThrow("first");
    expect(await second).toBe(2);
  });
});
