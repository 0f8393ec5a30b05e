/** Lines of Dockerfiles, compose files and manifests, in which several lines can be one command. */

/** In a Dockerfile and in a file of Compose, and in a manifest of Kubernetes. */
const ARGUMENTS: Readonly<Record<string, string>> = { ENTRYPOINT: "CMD", entrypoint: "command", command: "args" };
const KEY = /^(?<indent>\s*(?:- )?)(?:(?<yaml>entrypoint|command|args)\s*:|(?<docker>ENTRYPOINT|CMD)\s+\[)(?<rest>.*)$/;

/** Not a file such as `pm2.json`. */
const PROGRAM = /(?:^|[\s"'[/])pm2(?:-(?:runtime|docker|dev))?(?=["'\s,\]]|$)/;

/** A list is one line, and the arguments of a command follow it, as in `ENTRYPOINT ["pm2-runtime"]` and `CMD ["app.json"]`. */
export function joinCommands(lines: readonly string[]): string[] {
  const joined = joinLists(lines);
  return joined.map((line, at) => {
    const command = keyOf(line);
    const wanted = command && ARGUMENTS[command.key];
    if (command === undefined || wanted === undefined || !PROGRAM.test(line)) return line;
    const isEnd = (other: string): boolean => /^\s*FROM\s/.test(other) || columnOf(other) < command.column;
    const after = blockOf(joined.slice(at + 1), isEnd);
    const before = blockOf(joined.slice(0, at).toReversed(), isEnd);
    const found = [...after, ...before].map(keyOf);
    const args = found.find((other) => other?.key === wanted && other.column === command.column);
    return args === undefined || PROGRAM.test(args.rest) ? line : `${line} ${args.rest.trim()}`;
  });
}

interface Key {
  readonly key: string;
  readonly column: number;
  readonly rest: string;
}

function keyOf(line: string): Key | undefined {
  const { indent = "", yaml, docker, rest = "" } = KEY.exec(line)?.groups ?? {};
  const key = yaml ?? docker;
  return key === undefined ? undefined : { key, column: indent.length, rest };
}

function joinLists(lines: readonly string[]): string[] {
  const result: string[] = [];
  let open: Key | undefined;
  for (const line of lines) {
    const [, item] = open && columnOf(line) >= open.column ? (/^\s*-\s+(.*)$/.exec(line) ?? []) : [];
    if (item !== undefined) result.push(`${result.pop() ?? ""} ${item}`);
    else {
      open = keyOf(line);
      if (open?.rest.trim() !== "") open = undefined;
      result.push(line);
    }
  }
  return result;
}

function blockOf(lines: readonly string[], isEnd: (line: string) => boolean): readonly string[] {
  const end = lines.findIndex((line) => line.trim() !== "" && isEnd(line));
  return end === -1 ? lines : lines.slice(0, end);
}

function columnOf(line: string): number {
  return line.search(/\S|$/);
}
