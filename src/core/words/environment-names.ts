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
  preprod: ["preprod", "preproduction"],
  preview: ["preview"],
  demo: ["demo"],
  beta: ["beta"],
};

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  dev: ["development", "local"],
  production: ["prod"],
  staging: ["stage"],
};

export const environmentWords: readonly string[] = Object.values(WORDS).flat();

export function environmentOf(word: string): string | undefined {
  const lower = word.toLowerCase();
  return Object.keys(WORDS).find((name) => WORDS[name]?.includes(lower));
}

export function environmentInName(name: string): string | undefined {
  return name
    .split(/[^A-Za-z\d]+/)
    .map(environmentOf)
    .find((found) => found !== undefined);
}

export function environmentFor(word: string): string {
  const free = word
    .toLowerCase()
    .replaceAll(/[^a-z\d._-]/g, "-")
    .replace(/^[^a-z\d]+/, "");
  return environmentOf(word) ?? (free || "production");
}

export function aliasesOf(name: string, names: readonly string[]): string[] {
  return (ALIASES[name] ?? []).filter((alias) => !names.includes(alias));
}
