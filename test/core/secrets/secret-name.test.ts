import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { visibleKeys } from "../../../src/core/env/runtime-keys.ts";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";
import { isSecretName } from "../../../src/core/secrets/redact.ts";

function namesOf(file: string): string[] {
  const text = readFileSync(new URL(`../../fixtures/secrets/${file}`, import.meta.url), "utf8");
  return text.trim().split("\n");
}

describe("isSecretName", () => {
  test("recognises every name of a secret", () => {
    expect(namesOf("secret-names.txt").filter((name) => !isSecretName(name))).toEqual([]);
  });

  test("recognises it in any case and after any prefix", () => {
    const spelled = namesOf("secret-names.txt").flatMap((name) => [name.toLowerCase(), `MY_${name}`, `my.${name}`]);
    expect(spelled.filter((name) => !isSecretName(name))).toEqual([]);
  });

  test("ignores names that only contain such words, or describe a secret", () => {
    expect(namesOf("plain-names.txt").filter(isSecretName)).toEqual([]);
  });

  test("ignores every key that the packaged contract shows", () => {
    expect(visibleKeys(packagedRuntimeContract).filter(isSecretName)).toEqual([]);
  });
});
