import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { withPackages } from "../process/required-package.ts";
import { inMemoryItems } from "./in-memory.ts";
import type { ItemStore } from "./item-store.ts";
import { sqlItems } from "./sql-items.ts";

type Env = Readonly<Record<string, string | undefined>>;

const POOL = { max: 10, connectTimeoutMs: 5000 };

/** The drivers that this template carries. Aurora and RDS speak PostgreSQL or MySQL; the URL tells which. */
const drivers: Readonly<Record<string, (env: Env) => Promise<ItemStore> | ItemStore>> = {
  InMemory: inMemoryItems,
  SQLite: sqlite,
  PostgreSQL: (env) => postgres(urlOf(env, "PostgreSQL", ["postgres:", "postgresql:"])),
  MySQL: (env) => mysql(urlOf(env, "MySQL", ["mysql:"])),
  Aurora: (env) => managed(env, "Aurora"),
  RDS: (env) => managed(env, "RDS"),
};

/**
 * Opens the main store of `SVC_DATABASE_DRIVER`.
 *
 * @throws {Error} for a driver that this template does not carry, a missing package or URL, or a database
 *   that cannot be reached. The URL is never in the message.
 */
export async function openItems(driver: string, env: Env): Promise<ItemStore> {
  const open = Object.hasOwn(drivers, driver) ? drivers[driver] : undefined;
  if (open) return open(env);
  throw new Error(
    `SVC_DATABASE_DRIVER=${driver}: this template has no adapter for it; it has: ${Object.keys(drivers).join(", ")}. ` +
      "An adapter is an ItemStore (src/items/item-store.ts) in the table of src/items/open-items.ts",
  );
}

async function sqlite(env: Env): Promise<ItemStore> {
  const { default: Database } = await withPackages("SVC_DATABASE_DRIVER=SQLite", ["libsql"], () => import("libsql"));
  const { SqliteDialect } = await import("kysely");
  const file = resolve(env["SVC_DATABASE_FILE"] || `data/${env["SVC_DATABASE_NAME"] || "backend"}.sqlite`);
  mkdirSync(dirname(file), { recursive: true });
  const database = new Database(file, { timeout: POOL.connectTimeoutMs });
  // Readers do not wait for the writer, and several processes may share the file.
  database.pragma("journal_mode = WAL");
  return sqlItems(new SqliteDialect({ database }));
}

async function postgres(connectionString: string): Promise<ItemStore> {
  const { default: pg } = await withPackages("SVC_DATABASE_DRIVER", ["pg"], () => import("pg"));
  const { PostgresDialect } = await import("kysely");
  const { max, connectTimeoutMs: connectionTimeoutMillis } = POOL;
  const pool = new pg.Pool({ connectionString, max, connectionTimeoutMillis });
  // An idle connection that the server ended is replaced at the next query.
  pool.on("error", ({ message }) => console.error(`database: ${message}`));
  return sqlItems(new PostgresDialect({ pool }));
}

async function mysql(uri: string): Promise<ItemStore> {
  const { createPool } = await withPackages("SVC_DATABASE_DRIVER", ["mysql2"], () => import("mysql2"));
  const { MysqlDialect } = await import("kysely");
  const pool = createPool({ uri, connectionLimit: POOL.max, connectTimeout: POOL.connectTimeoutMs });
  return sqlItems(new MysqlDialect({ pool }));
}

function managed(env: Env, driver: string): Promise<ItemStore> {
  const url = urlOf(env, driver, ["postgres:", "postgresql:", "mysql:"]);
  return url.startsWith("mysql:") ? mysql(url) : postgres(url);
}

function urlOf(env: Env, driver: string, schemes: readonly string[]): string {
  const url = env["SVC_DATABASE_URL"] ?? "";
  if (schemes.some((scheme) => url.startsWith(`${scheme}//`))) return url;
  const accepted = schemes.map((scheme) => `${scheme}//`).join(", ");
  throw new Error(`SVC_DATABASE_DRIVER=${driver} needs SVC_DATABASE_URL; accepted: a URL that begins with ${accepted}`);
}
