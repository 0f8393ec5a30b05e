import { expect, test } from "vitest";
import { compareTemplate } from "../../../src/core/env/template.ts";

const file = (fileName: string, text: string) => ({ fileName, text });

test.each<[string, string, string[], string[]]>([
  ["the same keys", "A=\nB=\n", ["A=1\nB=2\n"], []],
  ["a key less", "A=\nB=\n", ["A=1\n"], ["ENV_TEMPLATE_MISSING_KEY B .env.example:2"]],
  ["a key that another layer has", "A=\nB=\n", ["A=1\n", "B=2\n"], []],
  ["a key more", "A=\n", ["A=1\nB=2\n"], ["ENV_TEMPLATE_SURPLUS_KEY B .env.0:2"]],
  ["a key more, which the template has as a comment", "A=\n# B=\n", ["A=1\nB=2\n"], []],
  ["a key of a comment, which no layer needs", "A=\n# B=\n", ["A=1\n"], []],
])("a template and its layers: %s", (_what, template, layers, expected) => {
  const compared = {
    template: file(".env.example", template),
    layers: layers.map((text, at) => file(`.env.${at}`, text)),
    fileName: ".env",
  };
  expect(
    compareTemplate(compared).map(({ code, path, at }) => `${code} ${path.join()} ${at?.file}:${at?.line}`),
  ).toEqual(expected);
});
