/** The words that teams use for environments, by the name that svcm proposes. */
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

/** The environment for a known word; `undefined` for any other word. */
export function environmentOf(word: string): string | undefined {
  const lower = word.toLowerCase();
  return Object.keys(WORDS).find((name) => WORDS[name]?.includes(lower));
}

/** The first word of a file name that is an environment. */
export function environmentIn(name: string): string | undefined {
  return name
    .split(/[^A-Za-z\d]+/)
    .map(environmentOf)
    .find((found) => found !== undefined);
}

/** An environment for any word, such as the one after `env_`. */
export function environmentFor(word: string): string {
  const free = word
    .toLowerCase()
    .replaceAll(/[^a-z\d._-]/g, "-")
    .replace(/^[^a-z\d]+/, "");
  return environmentOf(word) ?? (free || "production");
}

/** The aliases that svcm proposes for a name, except those that are another name of the project. */
export function aliasesOf(name: string, names: readonly string[]): string[] {
  return (ALIASES[name] ?? []).filter((alias) => !names.includes(alias));
}
