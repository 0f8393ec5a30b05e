import { catalog } from "../../src/core/setup/codes/catalog.ts";
import { page, table } from "./markdown.ts";

export function rulesPage(): string {
  return page(
    "Rules and codes",
    "config/codes.json",
    "Every rule of the validators and every other `code` of an issue or an error body; `svcm explain <CODE>` shows the same in a terminal. A failed file operation carries the operating system's own code if none of svcm's says more.",
    ...Object.entries(catalog).flatMap(([topic, codes]) => [
      `## ${topic}`,
      table(
        ["Code", "Meaning", "What to do"],
        Object.entries(codes).map(([code, { summary, explanation = "", remedy }]) => [
          `\`${code}\``,
          `${summary} ${explanation}`.trim(),
          remedy,
        ]),
      ),
    ]),
  );
}
