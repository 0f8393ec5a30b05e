import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { withPackages } from "../process/required-package.ts";
import { inMemoryItems } from "./in-memory.ts";
import type { ItemStore } from "./item-store.ts";
import { sqlItems, type Table } from "./sql-items.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** One of the two stores: its keys and its table. Both may be in one database. */
interface Place {
  readonly driverKey: string;
  readonly urlKey: string;
  readonly table: Table;
}

interface Choice extends Place {
  readonly driver: string;
  readonly env: Env;
}

const MAIN: Place = { driverKey: "SVC_DATABASE_DRIVER", urlKey: "SVC_DATABASE_URL", table: "items" };
const REALTIME: Place = {
  driverKey: "SVC_REALTIME_API_DATABASE_DRIVER",
  urlKey: "SVC_REALTIME_DATABASE_URL",
  table: "realtime_items",
};
/** Takes the place of the URL of a realtime database. */
const IN_THIS_PROCESS = "memory:";

const POOL = { max: 10, connectTimeoutMs: 5000 };

/** Aurora and RDS use PostgreSQL or MySQL; the URL shows which. */
const drivers: Readonly<Record<string, (choice: Choice) => Promise<ItemStore> | ItemStore>> = {
  InMemory: inMemoryItems,
  SQLite: sqlite,
  PostgreSQL: (choice) => postgres(choice, urlOf(choice, ["postgres:", "postgresql:"])),
  MySQL: (choice) => mysql(choice, urlOf(choice, ["mysql:"])),
  Aurora: managed,
  RDS: managed,
};

/** `svcm.startup.json` lists the same ones. */
export const databaseDrivers: readonly string[] = Object.keys(drivers);

/**
 * Opens the main store, selected by `SVC_DATABASE_DRIVER`.
 *
 * @throws {Error} for a driver without an adapter, a missing package or URL, or a database that cannot be reached. The
 * message never contains the URL.
 */
export function openItems(driver: string, env: Env): Promise<ItemStore> {
  return open({ ...MAIN, driver, env });
}

/**
 * Opens the realtime API's own store, selected by `SVC_REALTIME_API_DATABASE_DRIVER`: another database, or another
 * table in the same one.
 *
 * @throws {Error} as {@link openItems} does.
 */
export async function openRealtimeItems(driver: string, env: Env): Promise<ItemStore> {
  return isInThisProcess(env) ? inMemoryItems() : open({ ...REALTIME, driver, env });
}

export function isInThisProcess(env: Env): boolean {
  return env[REALTIME.urlKey] === IN_THIS_PROCESS;
}

async function open(choice: Choice): Promise<ItemStore> {
  const { driver, driverKey } = choice;
  const opener = Object.hasOwn(drivers, driver) ? drivers[driver] : undefined;
  if (opener) return opener(choice);
  throw new Error(
    `${driverKey}=${driver}: this template has no adapter for it; it has: ${databaseDrivers.join(", ")}. ` +
      "An adapter is an ItemStore (src/items/item-store.ts) in the table of src/items/open-items.ts",
  );
}

async function sqlite({ env, table, driverKey }: Choice): Promise<ItemStore> {
  const { default: Database } = await withPackages(`${driverKey}=SQLite`, ["libsql"], () => import("libsql"));
  const { SqliteDialect } = await import("kysely");
  const file = resolve(env["SVC_DATABASE_FILE"] || `data/${env["SVC_DATABASE_NAME"] || "backend"}.sqlite`);
  mkdirSync(dirname(file), { recursive: true });
  const database = new Database(file, { timeout: POOL.connectTimeoutMs });
  // Readers do not wait for the writer, and several processes may share the file.
  database.pragma("journal_mode = WAL");
  return sqlItems(new SqliteDialect({ database }), table);
}

async function postgres({ driver, driverKey, table }: Choice, connectionString: string): Promise<ItemStore> {
  const { default: pg } = await withPackages(`${driverKey}=${driver}`, ["pg"], () => import("pg"));
  const { PostgresDialect } = await import("kysely");
  const { max, connectTimeoutMs: connectionTimeoutMillis } = POOL;
  const pool = new pg.Pool({ connectionString, max, connectionTimeoutMillis });
  // If the server closes an idle connection, the next query opens a new one.
  pool.on("error", ({ message }) => console.error(`database: ${message}`));
  return sqlItems(new PostgresDialect({ pool }), table);
}

async function mysql({ driver, driverKey, table }: Choice, uri: string): Promise<ItemStore> {
  const { createPool } = await withPackages(`${driverKey}=${driver}`, ["mysql2"], () => import("mysql2"));
  const { MysqlDialect } = await import("kysely");
  const pool = createPool({ uri, connectionLimit: POOL.max, connectTimeout: POOL.connectTimeoutMs });
  return sqlItems(new MysqlDialect({ pool }), table);
}

function managed(choice: Choice): Promise<ItemStore> {
  const url = urlOf(choice, ["postgres:", "postgresql:", "mysql:"]);
  return url.startsWith("mysql:") ? mysql(choice, url) : postgres(choice, url);
}

function urlOf({ env, driver, driverKey, urlKey, table }: Choice, schemes: readonly string[]): string {
  const url = env[urlKey] ?? "";
  if (schemes.some((scheme) => url.startsWith(`${scheme}//`))) return url;
  const begins = `a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(", ")}`;
  const accepted = table === "items" ? begins : `${begins}, or ${IN_THIS_PROCESS} for data of this process alone`;
  throw new Error(`${driverKey}=${driver} needs ${urlKey}; accepted: ${accepted}`);
}
