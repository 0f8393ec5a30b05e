import type { HasProcesses } from "../pm2/port-processes.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import type { RunningApp } from "./detect/pm2-file.ts";
import { environmentOf, environmentWords } from "../words/environment-names.ts";
import { ownMember } from "../words/record.ts";

/** The processes of PM2 are the best witness of what the team starts. No daemon, or one that does not answer, says nothing. */
export async function readRunning({ processes, workspace }: HasProcesses & HasWorkspace): Promise<RunningApp[]> {
  const records = await processes.list().catch(() => []);
  const environments = new Map(environmentWords.map((word) => [processes.digest(word), environmentOf(word)]));
  const within = (path: string | null): string | undefined =>
    path === workspace.root
      ? "."
      : path?.startsWith(`${workspace.root}/`)
        ? path.slice(workspace.root.length + 1)
        : undefined;
  return records.flatMap(({ name, cwd, script, declaration }) => {
    const environment = environments.get(ownMember(declaration.environment, "NODE_ENV") ?? "");
    const app = { name, cwd: within(cwd), script: within(script), environment };
    return app.cwd === undefined && app.script === undefined ? [] : [app];
  });
}
