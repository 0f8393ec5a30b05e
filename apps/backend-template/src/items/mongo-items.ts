import type { MongoClient } from "mongodb";
import { MAX_LIST_LENGTH, type ItemStore } from "./item-store.ts";

interface StoredItem {
  readonly _id: string;
  readonly name: string;
  readonly createdAt: number;
}

/** Uses the database that the URL names. @throws the driver's error if the server cannot be reached */
export async function mongoItems(client: MongoClient, collection: string): Promise<ItemStore> {
  const items = client.db().collection<StoredItem>(collection);
  try {
    await items.createIndex({ createdAt: 1, _id: 1 });
  } catch (error) {
    await client.close();
    throw error;
  }
  return {
    async list() {
      const oldest = items.find().sort({ createdAt: 1, _id: 1 }).limit(MAX_LIST_LENGTH);
      return (await oldest.toArray()).map(({ _id: id, name }) => ({ id, name }));
    },
    async get(id) {
      const item = await items.findOne({ _id: id });
      return item === null ? undefined : { id, name: item.name };
    },
    async put({ id, name }) {
      const createdAt = Date.now();
      await items.updateOne({ _id: id }, { $setOnInsert: { name, createdAt } }, { upsert: true });
    },
    remove: async (id) => (await items.deleteOne({ _id: id })).deletedCount > 0,
    close: () => client.close(),
  };
}
