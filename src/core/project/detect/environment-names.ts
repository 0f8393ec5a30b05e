/** The words that teams use for an environment, by the name that svcm proposes. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  dev: ["dev", "devel", "develop", "development", "local"],
  production: ["production", "prod", "live"],
  staging: ["staging", "stage", "stg"],
  uat: ["uat"],
  qa: ["qa"],
  sandbox: ["sandbox"],
  test: ["test", "testing"],
  ci: ["ci"],
  e2e: ["e2e"],
};

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  dev: ["development", "local"],
  production: ["prod"],
  staging: ["stage"],
};

/** The environment that a word names; `undefined` for any other word. */
export function environmentOf(word: string): string | undefined {
  const lower = word.toLowerCase();
  return Object.keys(WORDS).find((name) => WORDS[name]?.includes(lower));
}

/** The first word of a file name that names an environment. */
export function environmentIn(name: string): string | undefined {
  return name
    .split(/[^A-Za-z\d]+/)
    .map(environmentOf)
    .find((found) => found !== undefined);
}

/** The name for the environment of a free word, such as the one behind `env_`. */
export function environmentFor(word: string): string {
  const free = word
    .toLowerCase()
    .replaceAll(/[^a-z\d._-]/g, "-")
    .replace(/^[^a-z\d]+/, "");
  return environmentOf(word) ?? (free || "production");
}

/** The aliases that svcm proposes for a name, without those that another name of the project has. */
export function aliasesOf(name: string, names: readonly string[]): string[] {
  return (ALIASES[name] ?? []).filter((alias) => !names.includes(alias));
}
