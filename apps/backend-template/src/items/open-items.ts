import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { withPackages } from "../process/required-package.ts";
import { inMemoryItems } from "./in-memory.ts";
import type { ItemStore } from "./item-store.ts";
import type { Table } from "./sql-items.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** One of the two stores: its keys and its table. Both may be in one database. */
interface StoreSettings {
  readonly driverKey: string;
  readonly urlKey: string;
  readonly table: Table;
}

interface StoreOptions extends StoreSettings {
  readonly driver: string;
  readonly env: Env;
}

const MAIN: StoreSettings = { driverKey: "SVC_DATABASE_DRIVER", urlKey: "SVC_DATABASE_URL", table: "items" };
const REALTIME: StoreSettings = {
  driverKey: "SVC_REALTIME_API_DATABASE_DRIVER",
  urlKey: "SVC_REALTIME_DATABASE_URL",
  table: "realtime_items",
};
/** Takes the place of the URL of a realtime database. */
const MEMORY_URL = "memory:";

const POOL = { max: 10, connectTimeoutMs: 5000 };

/** Aurora and RDS use PostgreSQL or MySQL; the URL shows which. */
const drivers: Readonly<Record<string, (options: StoreOptions) => Promise<ItemStore> | ItemStore>> = {
  InMemory: inMemoryItems,
  SQLite: sqlite,
  PostgreSQL: (options) => postgres(options, readUrl(options, ["postgres:", "postgresql:"])),
  MySQL: (options) => mysql(options, readUrl(options, ["mysql:"])),
  Mongo: (options) => mongo(options, readUrl(options, ["mongodb:", "mongodb+srv:"])),
  DynamoDB: (options) => dynamo(options, readUrl(options, ["http:", "https:"])),
  Aurora: managed,
  RDS: managed,
};

/** `svcm.startup.json` lists the same ones, the realtime API without those that the contract does not accept there. */
export const databaseDrivers: readonly string[] = Object.keys(drivers);

/**
 * Opens the main store, selected by `SVC_DATABASE_DRIVER`.
 *
 * @throws {Error} for a driver without an adapter, a missing package or URL, or a database that cannot be reached. The
 * message never contains the URL.
 */
export function openItems(driver: string, env: Env): Promise<ItemStore> {
  return openStore({ ...MAIN, driver, env });
}

/**
 * Opens the realtime API's own store, selected by `SVC_REALTIME_API_DATABASE_DRIVER`: another database, or another
 * table in the same one.
 *
 * @throws {Error} as {@link openItems} does.
 */
export async function openRealtimeItems(driver: string, env: Env): Promise<ItemStore> {
  return usesProcessMemory(env) ? inMemoryItems() : openStore({ ...REALTIME, driver, env });
}

export function usesProcessMemory(env: Env): boolean {
  return env[REALTIME.urlKey] === MEMORY_URL;
}

async function openStore(options: StoreOptions): Promise<ItemStore> {
  const { driver, driverKey } = options;
  const openWithDriver = Object.hasOwn(drivers, driver) ? drivers[driver] : undefined;
  if (openWithDriver) return openWithDriver(options);
  throw new Error(
    `${driverKey}=${driver}: this template has no adapter for it; it has: ${databaseDrivers.join(", ")}. ` +
      "An adapter is an ItemStore (src/items/item-store.ts) in the table of src/items/open-items.ts",
  );
}

async function sqlite({ env, table, driverKey }: StoreOptions): Promise<ItemStore> {
  const { default: Database } = await withPackages(`${driverKey}=SQLite`, ["libsql"], () => import("libsql"));
  const [{ sqlItems }, { SqliteDialect }] = await loadSql();
  const file = resolve(env["SVC_DATABASE_FILE"] || `data/${env["SVC_DATABASE_NAME"] || "backend"}.sqlite`);
  mkdirSync(dirname(file), { recursive: true });
  const database = new Database(file, { timeout: POOL.connectTimeoutMs });
  // Readers do not wait for the writer, and several processes may share the file.
  database.pragma("journal_mode = WAL");
  return sqlItems(new SqliteDialect({ database }), table);
}

async function postgres({ driver, driverKey, table }: StoreOptions, connectionString: string): Promise<ItemStore> {
  const { default: pg } = await withPackages(`${driverKey}=${driver}`, ["pg"], () => import("pg"));
  const [{ sqlItems }, { PostgresDialect }] = await loadSql();
  const { max, connectTimeoutMs: connectionTimeoutMillis } = POOL;
  const pool = new pg.Pool({ connectionString, max, connectionTimeoutMillis });
  // If the server closes an idle connection, the next query opens a new one.
  pool.on("error", ({ message }) => console.error(`database: ${message}`));
  return sqlItems(new PostgresDialect({ pool }), table);
}

async function mysql({ driver, driverKey, table }: StoreOptions, uri: string): Promise<ItemStore> {
  const { createPool } = await withPackages(`${driverKey}=${driver}`, ["mysql2"], () => import("mysql2"));
  const [{ sqlItems }, { MysqlDialect }] = await loadSql();
  const pool = createPool({ uri, connectionLimit: POOL.max, connectTimeout: POOL.connectTimeoutMs });
  return sqlItems(new MysqlDialect({ pool }), table);
}

async function mongo({ driver, driverKey, table }: StoreOptions, url: string): Promise<ItemStore> {
  const { MongoClient } = await withPackages(`${driverKey}=${driver}`, ["mongodb"], () => import("mongodb"));
  const { mongoItems } = await import("./mongo-items.ts");
  const { max: maxPoolSize, connectTimeoutMs: serverSelectionTimeoutMS } = POOL;
  return mongoItems(new MongoClient(url, { maxPoolSize, serverSelectionTimeoutMS }), table);
}

/** The URL is the endpoint of the region; region and credentials are AWS's own variables. */
async function dynamo({ env, driver, driverKey, table }: StoreOptions, endpoint: string): Promise<ItemStore> {
  const { DynamoDBClient } = await withPackages(
    `${driverKey}=${driver}`,
    ["@aws-sdk/client-dynamodb"],
    () => import("@aws-sdk/client-dynamodb"),
  );
  const { dynamoItems } = await import("./dynamo-items.ts");
  const region = env["AWS_REGION"] || "us-east-1";
  const requestHandler = { connectionTimeout: POOL.connectTimeoutMs };
  return dynamoItems(new DynamoDBClient({ endpoint, region, requestHandler }), table);
}

function managed(options: StoreOptions): Promise<ItemStore> {
  const url = readUrl(options, ["postgres:", "postgresql:", "mysql:"]);
  return url.startsWith("mysql:") ? mysql(options, url) : postgres(options, url);
}

/** A backend without a database loads no query builder, which has 260 modules. */
function loadSql() {
  return Promise.all([import("./sql-items.ts"), import("kysely")]);
}

function readUrl({ env, driver, driverKey, urlKey, table }: StoreOptions, schemes: readonly string[]): string {
  const url = env[urlKey] ?? "";
  if (schemes.some((scheme) => url.startsWith(`${scheme}//`))) return url;
  const schemeRule = `a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(", ")}`;
  const accepted = table === "items" ? schemeRule : `${schemeRule}, or ${MEMORY_URL} for data of this process alone`;
  throw new Error(`${driverKey}=${driver} needs ${urlKey}; accepted: ${accepted}`);
}
