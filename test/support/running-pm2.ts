import { afterAll, beforeAll } from "vitest";
import type { Ports } from "../../src/core/index.ts";
import { pm2, type Pm2 } from "./pm2-daemon.ts";

export function runningPm2(more?: Record<string, string>): { readonly own: Pm2; readonly ports: Ports } {
  const own = pm2();
  const ports = own.ports();
  beforeAll(async () => void (await own.startDaemon(more)));
  afterAll(async () => {
    await ports.logs.close();
    await own.end();
  });
  return { own, ports };
}
