import { catalog } from "../../src/core/report/catalog.ts";
import { page, table } from "./markdown.ts";

export function rulesPage(): string {
  return page(
    "Rules and codes",
    "src/core/report/catalog.ts",
    "Every rule of the validators and every other `code` of an issue or an error body; `svcm explain <CODE>` tells the same in a terminal. A failed file operation carries the system's own code (`EACCES`, `ENOSPC`, `EROFS`, `EIO`, ...) where none of these says more.",
    ...Object.entries(catalog).flatMap(([topic, codes]) => [
      `## ${topic}`,
      table(
        ["Code", "Meaning"],
        Object.entries(codes).map(([code, { summary, explanation = "" }]) => [
          `\`${code}\``,
          `${summary} ${explanation}`.trim(),
        ]),
      ),
    ]),
  );
}
