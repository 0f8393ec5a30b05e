import { Kysely, type Dialect } from "kysely";
import { MAX_LIST_LENGTH, type Item, type ItemStore } from "./item-store.ts";

export type Table = "items" | "realtime_items";

type Tables = Record<Table, Item & { readonly created_at: number }>;

/** @throws the driver's error if the database cannot be reached */
export async function sqlItems(dialect: Dialect, table: Table): Promise<ItemStore> {
  const database = new Kysely<Tables>({ dialect });
  try {
    await database.schema
      .createTable(table)
      .ifNotExists()
      .addColumn("id", "varchar(36)", (column) => column.primaryKey())
      .addColumn("name", "varchar(100)", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute();
  } catch (error) {
    await database.destroy();
    throw error;
  }
  const items = () => database.selectFrom(table).select(["id", "name"]);
  const get = (id: string): Promise<Item | undefined> => items().where("id", "=", id).executeTakeFirst();
  return {
    list: () => items().orderBy("created_at").orderBy("id").limit(MAX_LIST_LENGTH).execute(),
    get,
    async put(item) {
      if (await get(item.id)) return;
      await database
        .insertInto(table)
        .values({ ...item, created_at: Date.now() })
        .execute();
    },
    async remove(id) {
      const { numDeletedRows } = await database.deleteFrom(table).where("id", "=", id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    close: () => database.destroy(),
  };
}
