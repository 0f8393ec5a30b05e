/// <reference lib="dom" />
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../browser/support.ts";
import { savedPages } from "./saved-page.ts";

const { savedPage } = savedPages();

describe.skipIf(!hasBrowser)("after a save", () => {
  test("an undo restores the previous values, and the apps are stale again", async () => {
    const { page, server, stale, button, field, posts } = await savedPage();
    await button("Restart 4, one after another").click();
    await page.getByRole("group", { name: "Restarted with the new values" }).waitFor();
    await button("Undo").click();
    await stale.waitFor();
    expect(server.text()).toContain("SVC_HTTP_FRAMEWORK=express");
    await expect.poll(() => field("HTTP framework").inputValue()).toBe("express");
    expect(posts.at(-1)).toMatchObject({ body: { values: { SVC_HTTP_FRAMEWORK: "express" } } });
  });
});
