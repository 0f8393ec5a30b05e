/** The tools are operations. Their schema is that of the input, their words are those of the route. */
import * as z from "zod";
import { inputs, type OperationId } from "../core/api/inputs.ts";
import * as core from "../core/index.ts";
import type { Access, Operation } from "../core/index.ts";
import type { OperationRoute } from "../server/route.ts";
import { routes } from "../server/routes.ts";

/** A list of the output, which is shown in columns. */
interface Columns {
  readonly list: string;
  readonly columns: readonly string[];
}

/** A list that the operation itself pages: `next` of the output is the member `input` of the following request. */
interface Pages {
  readonly input: "before" | "cursor";
  readonly next: "older" | "next";
  readonly limit: number;
}

interface Row {
  readonly operation: Operation<never, unknown>;
  /** The default is the id of the operation. */
  readonly name?: string;
  /** If no route has one. */
  readonly summary?: string;
  readonly query?: readonly string[];
  readonly table?: Columns;
  readonly pages?: Pages;
  readonly fixed?: Readonly<Record<string, unknown>>;
}

export interface Tool extends Pick<Row, "operation" | "table" | "pages"> {
  readonly name: string;
  readonly access: Access;
  readonly description: string;
  readonly inputSchema: JsonObjectSchema;
  /** Members of the input whose number is a moment. */
  readonly times: ReadonlySet<string>;
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly isChange: boolean;
  /** Another machine of the fleet answers it, too. */
  readonly isRemote: boolean;
}

interface JsonObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required: string[];
  readonly additionalProperties: false;
}

const PLACE = ["environment", "service"];
const EVENT_COLUMNS = ["at", "app", "pmId", "kind", "cause", "certainty", "actor", "evidence"];

const rows: readonly Row[] = [
  {
    operation: core.processList,
    summary: "List the processes that PM2 runs, with their state.",
    table: {
      list: "processes",
      columns: ["name", "pmId", "state", "stateReason", "restartCount", "cpuPercent", "memoryBytes", "uptimeMs"],
    },
  },
  { operation: core.processShow },
  {
    operation: core.eventWhy,
    summary: "Show when and why a process last ended, and what came before.",
    query: ["name"],
  },
  {
    operation: core.eventsList,
    table: { list: "events", columns: EVENT_COLUMNS },
    pages: { input: "cursor", next: "next", limit: 40 },
  },
  {
    operation: core.logsRead,
    table: { list: "lines", columns: ["at", "app", "stream", "text"] },
    pages: { input: "before", next: "older", limit: 100 },
  },
  { operation: core.metricsShow },
  { operation: core.historyShow },
  { operation: core.ecosystemShow },
  {
    operation: core.ecosystemDrift,
    summary: "Compare what PM2 runs with the ecosystem file: definition, code and values.",
    query: PLACE,
  },
  { operation: core.ecosystemCheck, summary: "Check an ecosystem file.", query: PLACE },
  { operation: core.envRead },
  { operation: core.envDiff },
  { operation: core.envCheck },
  { operation: core.rolloutPlan, name: "plan", query: [...PLACE, "apps", "restart"] },
  { operation: core.releaseList, name: "releases" },
  {
    operation: core.auditList,
    table: {
      list: "records",
      columns: ["timestamp", "action", "environment", "target", "keys", "actor", "outcome", "code"],
    },
  },
  { operation: core.codeExplain, summary: "Explain a code of an error or a finding.", query: ["code"] },
  {
    operation: core.projectDoctor,
    name: "doctor",
    summary: "Check the set-up of the repository and of this machine.",
    query: [],
    fixed: { offline: false },
  },
  {
    operation: core.proposalCreate,
    name: "propose",
    summary:
      "Propose the present plan of an environment (kind apply), a commit (kind deploy, with revision), or values of an env file (kind env.write). Nothing changes until a user approves it.",
    query: ["kind", ...PLACE, "apps", "restart", "values", "revision", "reason"],
  },
  {
    operation: core.proposalRun,
    name: "apply",
    summary: "Run a proposal that a user has approved: once, and exactly its plan.",
    query: ["id"],
  },
];

export function listTools(version: string): readonly Tool[] {
  return rows.map((row) => toTool(row, version));
}

/** A caller sees only the tools that it may call. */
export function isOffered({ access }: Pick<Tool, "access">, grants: readonly Access[]): boolean {
  return core.isGranted(grants, access);
}

function toTool({ operation, name, summary, query, table, pages, fixed }: Row, version: string): Tool {
  const { id, access } = operation;
  const route = findRoute(id);
  const isChange = access === "propose";
  return {
    operation,
    name: name ?? id.replaceAll(/[.-]/g, "_"),
    access,
    description: summary ?? `${route.summary} ${route.description ?? ""}`.trim(),
    ...toSchema(id, query ?? route.query ?? [], !isChange),
    fixed: { ...route.fixed, ...fixed, ...(id === "project.doctor" && { version }) },
    isChange,
    isRemote: !isChange && core.remoteOperations.some((one) => one.id === id),
    ...(table !== undefined && { table }),
    ...(pages !== undefined && { pages }),
  };
}

function findRoute(id: OperationId): Pick<OperationRoute, "summary" | "description" | "query" | "fixed"> {
  for (const route of routes) if ("operation" in route && route.operation.id === id) return route;
  return { summary: "" };
}

function toSchema(id: OperationId, accepted: readonly string[], isPaged: boolean): Pick<Tool, "inputSchema" | "times"> {
  const schema = z.toJSONSchema(inputs[id], { io: "input", unrepresentable: "any" });
  const { properties, required = [] } = { properties: {}, ...schema } as InputSchema;
  const times = new Set(TIMES.filter((one) => properties[one]?.type === "integer"));
  const own = Object.entries(properties).filter(([member]) => accepted.includes(member) && !PAGED.has(member));
  return {
    times,
    inputSchema: {
      type: "object",
      properties: {
        ...Object.fromEntries(own.map(([member, value]) => [member, times.has(member) ? TIME_SCHEMA : value])),
        ...(isPaged && { cursor: CURSOR_SCHEMA }),
      },
      required: required.filter((member) => accepted.includes(member)),
      additionalProperties: false,
    },
  };
}

const TIMES = ["since", "until", "from", "to"];
/** One member, `cursor`, pages every answer. */
const PAGED: ReadonlySet<string> = new Set(["before", "after", "cursor"]);
const TIME_SCHEMA = {
  type: ["integer", "string"],
  description: "Milliseconds since 1970, or an age such as 15m or 24h.",
};
const CURSOR_SCHEMA = { type: "string", description: "From the answer before, for the rest of it." };

interface InputSchema {
  readonly properties: Readonly<Record<string, { readonly type?: string }>>;
  readonly required?: readonly string[];
}
