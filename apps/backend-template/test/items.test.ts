import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { MAX_LIST_LENGTH } from "../src/items/item-store.ts";
import { openItems } from "../src/items/open-items.ts";

describe.each(["InMemory", "SQLite"])("%s", (driver) => {
  const open = () => openItems(driver, { SVC_DATABASE_FILE: join(temporaryFolder(), "items.sqlite") });

  test("a list of items has a limited length", async () => {
    const items = await open();
    for (let count = 0; count <= MAX_LIST_LENGTH; count++) await items.put({ id: `${count}`, name: `item ${count}` });
    expect(await items.list()).toHaveLength(MAX_LIST_LENGTH);
    await items.close();
  });

  test("SQL in an item's text is not executed", async () => {
    const items = await open();
    const name = `'); DROP TABLE items; --"`;
    const item = { id: randomUUID(), name };
    await items.put(item);
    await items.put({ ...item, name: "another" });
    for (const id of ["' OR '1'='1", `${item.id}' --`, '" OR 1=1', "%", "_".repeat(36)]) {
      expect(await items.get(id)).toBeUndefined();
      expect(await items.remove(id)).toBe(false);
    }
    expect(await items.list()).toEqual([item]);
    await items.close();
  });
});
