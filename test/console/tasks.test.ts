/** Everyday tasks in Chromium. */
import { describe } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { everydayTasks } from "./everyday-tasks.ts";

const browser = useBrowser();

describe.skipIf(!hasBrowser)("a task", () => {
  everydayTasks(browser);
});
