import { randomUUID } from "node:crypto";
import { Kysely, type Dialect } from "kysely";
import type { Item, ItemStore } from "./item-store.ts";

interface Tables {
  items: Item & { readonly created_at: number };
}

/**
 * Items in a relational database, through one query builder.
 *
 * @throws the driver's error where the database cannot be reached.
 */
export async function sqlItems(dialect: Dialect): Promise<ItemStore> {
  const database = new Kysely<Tables>({ dialect });
  try {
    await database.schema
      .createTable("items")
      .ifNotExists()
      .addColumn("id", "varchar(36)", (column) => column.primaryKey())
      .addColumn("name", "varchar(100)", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute();
  } catch (error) {
    await database.destroy();
    throw error;
  }
  const items = () => database.selectFrom("items").select(["id", "name"]);
  return {
    list: () => items().orderBy("created_at").orderBy("id").limit(1000).execute(),
    get: (id) => items().where("id", "=", id).executeTakeFirst(),
    async add(name) {
      const item = { id: randomUUID(), name };
      await database
        .insertInto("items")
        .values({ ...item, created_at: Date.now() })
        .execute();
      return item;
    },
    async remove(id) {
      const { numDeletedRows } = await database.deleteFrom("items").where("id", "=", id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    close: () => database.destroy(),
  };
}
