import { catalog } from "../../src/core/report/catalog.ts";
import { page, table } from "./markdown.ts";

export function codesPage(): string {
  return page(
    "Codes",
    "src/core/report/catalog.ts",
    "What `code` says in an error body or an issue. `svcm explain <CODE>` tells the same. A failed file operation carries the system's own code (`EACCES`, `ENOSPC`, `EROFS`, `EIO`, ...) where none of these says more.",
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
