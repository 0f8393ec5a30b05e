import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const ROOT = join(import.meta.dirname, "../..");
/** Small files that run for a long time because each test starts processes; the longest first. */
const LONG = [
  "test/pm2/deploy.test.ts",
  "test/pm2/jobs.test.ts",
  "test/pm2/started-environment.test.ts",
  "test/docs/commands.test.ts",
  "test/core/events/collect-events.test.ts",
  "test/scripts/start.test.ts",
  "apps/backend-template/test/guardrails.test.ts",
  "test/cli/package.test.ts",
  "test/cli/examples.test.ts",
  "test/pm2/effective.test.ts",
  "test/pm2/gate.test.ts",
  "test/pm2/hostile-names.test.ts",
  "test/console/tasks.test.ts",
  "test/pm2/short-names.test.ts",
  "test/scripts/generate.test.ts",
  "test/server/generated-client.test.ts",
  "test/core/deployments/hostile.test.ts",
  "test/core/yaml/splice/edit-yaml.test.ts",
  "test/faults/kill.test.ts",
  "test/scripts/build.test.ts",
];

/** Vitest runs the largest files first. A long file that begins last would run alone at the end. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONG.filter((file) => !existsSync(join(ROOT, file)));
    if (gone.length > 0) throw new Error(`${gone.join(", ")} is gone: remove it from test/support/long-first.ts.`);
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONG.indexOf(relative(ROOT, moduleId));
      return place === -1 ? LONG.length : place;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of Vitest
    const largestFirst = await super.sort(files);
    return largestFirst.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
