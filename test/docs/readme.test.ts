import { expect, test } from "vitest";
import { runInShop } from "./shop-pages.ts";

test("the commands of README run as printed in a shop", async () => {
  expect(await runInShop("README.md")).toEqual([]);
});
