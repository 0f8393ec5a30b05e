import { tokenList, type ListedToken } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { printTable, type Column } from "../terminal/table.ts";
import { inLocalTime } from "../../core/words/time.ts";
import { pluralize } from "../../core/words/text.ts";

export default class TokenList extends SvcmCommand {
  static override summary = "List the tokens of this repository.";
  static override description = "Shows names, roles, limits and times, but never a token itself.";
  static override examples = ["<%= config.bin %> token list", "<%= config.bin %> token list --json"];

  async run() {
    await this.parse(TokenList);
    const response = await this.execute(tokenList, {});
    const { tokens } = response;
    const expired = tokens.filter((token) => token.expired).length;
    const text = `${pluralize(tokens.length, "token")}, ${expired} expired.`;
    printTable(this, COLUMNS, tokens, EMPTY, { text });
    return response;
  }
}

const EMPTY = "There are no tokens. svcm token create <name> --role viewer creates one.";

const COLUMNS: readonly Column<ListedToken>[] = [
  { heading: "NAME", cell: ({ name }) => name },
  { heading: "ROLE", cell: ({ role, propose }) => (propose === true ? `${role}, may propose` : role) },
  { heading: "LIMITED TO", cell: limitsOf, shorten: "fold" },
  { heading: "CREATED", cell: ({ createdAt }) => inLocalTime(createdAt), dropPriority: 2 },
  { heading: "EXPIRES", cell: expiryOf, colour: ({ expired }, { red }) => (expired ? red : undefined) },
];

function limitsOf({ environments = [], services = [] }: ListedToken): string {
  return [...environments, ...services.map((name) => `service ${name}`)].join(", ") || "-";
}

function expiryOf({ expiresAt, expired }: ListedToken): string {
  if (expiresAt === undefined) return "never";
  return expired ? "expired" : inLocalTime(expiresAt);
}
