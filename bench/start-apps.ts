import type { Pm2 } from "../test/support/pm2-daemon.ts";

export async function startApps(own: Pm2, count: number, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const app = { script: "/bin/sleep", interpreter: "none", args: "100000", instances: 10, exec_mode: "fork", env };
  const apps = Array.from({ length: count / 10 }, (_, index) => ({ ...app, name: `app-${index}` }));
  own.pm2Folder(apps);
  for (const { name } of apps) await own.startDeclared(name);
}
