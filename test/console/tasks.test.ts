import { describe } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { hasNats } from "../support/nats-server.ts";
import { everydayTasks } from "./everyday-tasks.ts";
import { fleetTasks } from "./fleet-tasks.ts";
import { shiftTasks } from "./shift-tasks.ts";
import { placeTasks } from "./place-tasks.ts";

const browser = useBrowser();

describe.skipIf(!hasBrowser)("a task", () => {
  everydayTasks(browser);
  placeTasks(browser);
  shiftTasks(browser);
});

describe.skipIf(!hasBrowser || !hasNats)("a task in a fleet (needs nats-server)", () => {
  fleetTasks(browser);
});
