/// <reference lib="dom" />
/** The page asks for confirmation only if leaving it would lose data. */
import { describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { openSuite } from "./suite-page.ts";
import { firstOrAll } from "../support/runs.ts";

const browser = useBrowser();

describe.skipIf(!hasBrowser)("leaving the page", () => {
  const tabs = [
    ["targets", "Deploy target", "vm", "Name"],
    ["interfaces", "Type", "grpc", "Entrypoint"],
    ["service", "Run mode", "container", "REST port"],
  ] as const;
  test.each(firstOrAll(tabs))(
    "from %s asks for confirmation if text was typed, but not for a selection",
    async (tab, choice, value, typed) => {
      const { page, field, questions } = await openSuite(browser, tab);
      await field(choice).selectOption(value);
      await page.reload();
      await field(choice).waitFor();
      expect(questions).toEqual([]);
      await field(typed).pressSequentially("3");
      await page.reload();
      expect(questions).toHaveLength(1);
    },
  );
});
