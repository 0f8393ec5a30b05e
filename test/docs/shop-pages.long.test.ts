/** Runs every command of the guides as printed, in the repository of a shop that `svcm init` has set up. */
import { expect, test } from "vitest";
import { runInShop, SHOP_PAGES } from "./shop-pages.ts";

/** An ordinary run has that of README. */
const guides = [...SHOP_PAGES].filter((page) => page !== "README.md");

test.each(guides)("the commands of %s run as printed", async (page) => {
  expect(await runInShop(page)).toEqual([]);
});
