/** What completion needs to know of a command. */
export interface CompletableCommand {
  /** As it is typed, for example `env get`. */
  readonly name: string;
  readonly flags: readonly CompletableFlag[];
  /** Accepted values of the arguments, where they are a closed list. */
  readonly argumentValues: readonly string[];
}

export interface CompletableFlag {
  /** As they are typed, for example `--environment` and `-e`. */
  readonly spellings: readonly string[];
  /** Accepted values, where they are a closed list. */
  readonly values: readonly string[];
}

/**
 * A completion script for bash: commands, flags, and the values of flags and arguments. File names
 * are completed where nothing else is known. oclif's own script for bash knows no values.
 */
export function bashCompletion(bin: string, commands: readonly CompletableCommand[]): string {
  const spellingsOf = ({ flags }: CompletableCommand) => flags.flatMap(({ spellings }) => spellings);
  const flags = commands.map((command) => arm([command.name], spellingsOf(command)));
  const values = commands.flatMap((command) => command.flags.map((flag) => valuesArm(command.name, flag)));
  const argumentValues = commands.map((command) => arm([command.name], command.argumentValues));
  const subcommands = [...subcommandsOf(commands)].map(([name, words]) => arm([name], [...words].toSorted()));
  return `# Completion of ${bin} for bash, made by "${bin} autocomplete". Make it again after an update.
${listing(`_${bin}_subcommands`, subcommands)}
${listing(`_${bin}_arguments`, argumentValues)}
${listing(`_${bin}_flags`, flags)}
${listing(`_${bin}_values`, values)}
_${bin}_autocomplete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" word candidates IFS=$'\\n'
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $'\\n'"$(_${bin}_subcommands "$command")"$'\\n' == *$'\\n'"$word"$'\\n'* ]] || break
    command="\${command:+$command }$word"
  done
  if [[ "$current" == "=" ]]; then
    current=""
  elif [[ "$previous" == "=" ]]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  candidates="$(_${bin}_values "$command $previous")"
  if [[ -z "$candidates" && "$current" == -* ]]; then
    candidates="$(_${bin}_flags "$command")"
  elif [[ -z "$candidates" ]]; then
    candidates="$(_${bin}_subcommands "$command"; _${bin}_arguments "$command")"
  fi
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
  COMPREPLY=("\${COMPREPLY[@]// /\\\\ }")
}
complete -o default -F _${bin}_autocomplete ${bin}
`;
}

/** The words that may follow each topic; the empty one is the command line itself. */
function subcommandsOf(commands: readonly CompletableCommand[]): Map<string, Set<string>> {
  const topics = new Map<string, Set<string>>();
  for (const { name } of commands) {
    const words = name.split(" ");
    for (const [index, word] of words.entries()) {
      const topic = words.slice(0, index).join(" ");
      topics.set(topic, (topics.get(topic) ?? new Set()).add(word));
    }
  }
  return topics;
}

function listing(name: string, arms: readonly string[]): string {
  return [`${name}() {`, '  case "$1" in', ...arms.filter((line) => line !== ""), "    *) ;;", "  esac", "}"].join(
    "\n",
  );
}

function valuesArm(command: string, { spellings, values }: CompletableFlag): string {
  return arm(
    spellings.map((spelling) => `${command} ${spelling}`),
    values,
  );
}

function arm(patterns: readonly string[], words: readonly string[]): string {
  if (words.length === 0) return "";
  return `    ${patterns.map(quote).join("|")}) printf '%s\\n' ${words.map(quote).join(" ")} ;;`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
