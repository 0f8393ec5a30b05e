import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderGithub } from "../../../src/core/findings/annotations.ts";
import { anyReport, at, CLEAN, issue, SAMPLE } from "./sample.ts";

const COMMAND = /^::(?:error|warning) file=[^:,\r\n]*,(?:line=\d+,col=\d+,)?title=[^:,\r\n]*::[^\r\n]*$/;

describe("renderGithub", () => {
  test("the complete sample", async () => {
    await expect(renderGithub(SAMPLE)).toMatchFileSnapshot("../../fixtures/report/github.txt");
  });

  test("no findings: no output", () => {
    expect(renderGithub(CLEAN)).toBe("");
  });

  test("data and properties are escaped in the way the runner reads them", () => {
    const odd = issue({
      code: "A:B,C%",
      message: "50%\r\nof: a, b",
      severity: "warning",
      at: { ...at(2, 3), file: "a,b:c%.yaml" },
    });
    expect(renderGithub({ ...SAMPLE, issues: [odd] })).toBe(
      "::warning file=a%2Cb%3Ac%25.yaml,line=2,col=3,title=A%3AB%2CC%25::50%25%0D%0Aof: a, b",
    );
  });

  test("any issue is one line, a command that can be parsed back", () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const text = renderGithub(report);
        const commands = text === "" ? [] : text.split(/\r|\n/);
        expect(commands).toHaveLength(report.issues.length);
        for (const [index, command] of commands.entries()) {
          expect(command).toMatch(COMMAND);
          expect(decodeData(command.slice(command.indexOf("::", 2) + 2))).toContain(
            report.issues[index]!.message.toWellFormed(),
          );
        }
      }),
    );
  });
});

/** Unescapes as the runner does: `%25` last. */
function decodeData(text: string): string {
  return text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
}
