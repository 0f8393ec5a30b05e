import type { CallToolResult } from "@modelcontextprotocol/server";
import { parseInput } from "../core/access/parse.ts";
import { inputs } from "../core/api/inputs.ts";
import type { Proposal } from "../core/api/proposals.ts";
import { describeError, execute, failureCode, SvcmError, type Caller, type Ports } from "../core/index.ts";
import { parseDuration } from "../core/words/time.ts";
import { fence, quote, readCursor, toLines, toPage, writeCursor, type Page, type Position } from "./render.ts";
import { recorded, type CallContext } from "./recorded.ts";
import { isOffered, type Tool } from "./tools.ts";

interface Answer {
  readonly words: string;
  readonly data?: string;
}

export async function callTool(
  context: CallContext,
  caller: Caller,
  {
    name,
    arguments: given = {},
  }: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> | undefined },
): Promise<CallToolResult> {
  const answer = await recorded(context, caller, name, () => answerCall(context, caller, name, given));
  if (!("refusal" in answer)) return toResult(context.ports, answer);
  return { ...toResult(context.ports, refusalAnswer(answer.refusal)), isError: true };
}

async function answerCall(
  { ports, tools, askNode }: CallContext,
  caller: Caller,
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const tool = tools.find((one) => one.name === name && isOffered(one, caller.grants));
  if (tool === undefined)
    throw new SvcmError("NOT_FOUND", { details: `Accepted: ${offeredNames(tools, caller).join(", ")}.` });
  const { cursor, node, ...members } = given;
  requireMembers(tool, given);
  const position = readCursor(cursor);
  const input = { ...readTimes(tool, members, ports.clock.now()), ...tool.fixed };
  const { operation, pages } = tool;
  const run = async (more: object): Promise<unknown> => {
    const parsed = parseInput<unknown>(inputs[operation.id], { ...input, ...more }, operation.refusal);
    const output =
      node === undefined
        ? await execute(operation, ports, parsed as never, caller)
        : await askNode(readNode(node), operation, parsed as never, caller);
    // A response beside the bytes or the report that it comes from.
    const isWrapped = typeof output === "object" && output !== null && "response" in output;
    return isWrapped ? output.response : output;
  };
  const at = ports.clock.now();
  if (pages === undefined) {
    const output = await run({});
    return toAnswer(tool, output, toPage(toLines(output, tool.table), position.line), { at });
  }
  return await answerPage(tool, run, { position, at, requested: members["limit"] });
}

interface PageRequest {
  readonly position: Position;
  readonly at: number;
  readonly requested: unknown;
}

/** Asks for fewer rows until the page is whole: the cursor of the operation then loses and repeats nothing. */
async function answerPage(
  tool: Tool,
  run: (more: object) => Promise<unknown>,
  { position, at, requested }: PageRequest,
): Promise<Answer> {
  const { input, next, limit: usual } = tool.pages ?? { input: "cursor", next: "next", limit: 1 };
  let limit = typeof requested === "number" && requested > 0 ? Math.min(requested, 1000) : usual;
  for (;;) {
    const more = position.page === undefined ? {} : { [input]: position.page };
    const output = (await run({
      ...more,
      ...(requested === undefined || typeof requested === "number" ? { limit } : {}),
    })) as {
      readonly [name: string]: unknown;
    };
    const { [next]: nextPage, newer: _newer, ...rest } = output;
    const page = toPage(toLines(rest, tool.table), 0);
    if (page.next !== undefined && limit > 1) {
      limit = Math.ceil(limit / 2);
      continue;
    }
    return toAnswer(tool, rest, page, { at, nextPage: typeof nextPage === "string" ? nextPage : undefined });
  }
}

function toAnswer(
  { name, pages }: Tool,
  output: unknown,
  page: Page,
  { at, nextPage }: { readonly at: number; readonly nextPage?: string | undefined },
): Answer {
  const isPaged = pages !== undefined;
  const line = isPaged ? undefined : page.next;
  const cursor =
    nextPage !== undefined
      ? writeCursor({ page: nextPage, line: 0 })
      : line === undefined
        ? undefined
        : writeCursor({ line });
  const isCut = isPaged && page.next !== undefined;
  const rest = [
    // Without it, a plan without steps and a list without differences say nothing about what runs.
    ...(isAbsent(output) ? ["The file does not exist, so nothing was read or compared."] : []),
    ...(page.text === "" ? ["The answer is empty: there is nothing to list."] : []),
    ...(isCut ? ["A part is too large and is left out."] : []),
    cursor === undefined ? "Nothing follows." : `There is more: cursor ${JSON.stringify(cursor)}.`,
  ].join(" ");
  const words = [`${name} at ${new Date(at).toISOString()}.`, ...proposalWords(name, output), rest].join(" ");
  return { words, data: page.text };
}

function isAbsent(output: unknown): boolean {
  return typeof output === "object" && output !== null && "exists" in output && output.exists === false;
}

function proposalWords(tool: string, output: unknown): string[] {
  if (tool !== "propose" && tool !== "apply") return [];
  const { id, state, expiresAt, planId } = output as Proposal;
  if (tool === "apply") return [`The proposal ${id} (plan ${planId}) is ${state}.`];
  return [
    `The proposal ${id} (plan ${planId}) waits for a user until ${expiresAt}. Show the user its id and what it does. After the user approved it, call apply with this id.`,
  ];
}

/** @throws {SvcmError} INVALID_REQUEST */
function readNode(node: unknown): string {
  if (typeof node === "string") return node;
  throw new SvcmError("INVALID_REQUEST", { details: "node: accepted is the name of a machine." });
}

/** @throws {SvcmError} INVALID_REQUEST */
function requireMembers({ inputSchema, isRemote }: Tool, given: Readonly<Record<string, unknown>>): void {
  const accepted = [...Object.keys(inputSchema.properties), ...(isRemote ? ["node"] : [])];
  const unknown = Object.keys(given).find((member) => !accepted.includes(member));
  if (unknown === undefined) return;
  const list = accepted.length === 0 ? "no member" : accepted.join(", ");
  throw new SvcmError("INVALID_REQUEST", { details: `${quote(unknown, 80)} is not a member. Accepted: ${list}.` });
}

function readTimes({ times }: Tool, members: Readonly<Record<string, unknown>>, now: number): object {
  return Object.fromEntries(
    Object.entries(members).map(([member, value]) => {
      const age =
        times.has(member) && typeof value === "string" ? parseDuration(value, /^(\d{1,6})([smhd])$/) : undefined;
      return [member, age === undefined ? value : Math.max(0, now - age)];
    }),
  );
}

function offeredNames(tools: readonly Tool[], { grants }: Caller): string[] {
  return tools.filter((one) => isOffered(one, grants)).map(({ name }) => name);
}

/** The details may quote names and paths, so they are data. */
function refusalAnswer(error: unknown): Answer {
  const { body, status } = describeError(error);
  const { error: summary, details, issues } = body;
  const words = `${status < 500 ? "Refused" : "Failed"} with the code ${failureCode(error)}: ${summary}`;
  const data = toPage(toLines({ details, issues }, undefined), 0).text;
  return data === "" ? { words } : { words, data };
}

function toResult({ host }: Pick<Ports, "host">, { words, data }: Answer): CallToolResult {
  const mark = host.digest(new TextEncoder().encode(host.randomId())).slice(0, 11);
  const blocks = [words, ...(data === undefined || data === "" ? [] : [fence(data, mark)])];
  return { content: blocks.map((text) => ({ type: "text", text })) };
}
