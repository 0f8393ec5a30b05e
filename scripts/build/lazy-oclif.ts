import { join, relative } from "node:path";
import type { Plugin, PluginContext } from "rolldown";
import { bindLazily } from "./bind-lazily.ts";
import { ROOT } from "./entries.ts";

/**
 * Makes @oclif/core load its parts when they are first used. It is compiled to CommonJS whose
 * modules require everything they could ever need at once: rendering of help, spinners, globbing,
 * templates. A command that runs needs a fifth of that. The parts of oclif stay in one chunk and
 * are evaluated on first use; each package that it depends on becomes a chunk of its own. Lines stay
 * where they are, so source maps hold.
 */
export function lazyOclif(): Plugin {
  const emitted = new Set<string>();
  const found = new Set<DearPart>();
  return {
    name: "lazy-oclif",
    buildEnd(error) {
      const gone = DEAR_PARTS.filter((dear) => !found.has(dear));
      if (!error && gone.length > 0)
        this.error(
          `@oclif/core has changed, see scripts/build/lazy-oclif.ts: ${gone.map(({ why }) => why).join("; ")}`,
        );
    },
    transform: {
      filter: { id: /[\\/]node_modules[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ },
      async handler(code, id) {
        return {
          map: null,
          code: bindLazily(
            await requireVendorChunks(this, withoutDearParts(code, found), id, emitted),
            REQUIRE,
            "$lazy",
          ),
        };
      },
    },
    resolveId: {
      filter: { id: /^(?:\0vendor:|\.\/vendor-)/ },
      handler: (id) => ({ id, external: id.startsWith("./") }),
    },
    load: {
      filter: { id: /^\0vendor:/ },
      handler: (id) => `module.exports = require(${JSON.stringify(join(ROOT, id.slice(VENDOR.length)))});`,
    },
  };
}

const VENDOR = "\0vendor:";

/** `const ejs_1 = __importDefault(require("ejs"))`, as TypeScript compiles an import. */
const REQUIRE = /^(?:const|var) (\w+) = ((?:__importDefault\(|__importStar\()?require\("[^"]+"\)\)?);$/gm;

interface DearPart {
  readonly why: string;
  readonly part: RegExp;
  readonly instead: string | ((code: string) => string);
}

const DEAR_PARTS: readonly DearPart[] = [
  {
    why: "it listens for a closed standard output, and so makes the stream that our commands do without",
    part: /process\.stdout\.on\('error', [\s\S]*?\n}\);\n/g,
    instead: (lines) => lines.replaceAll(/[^\n]/g, ""),
  },
  {
    why: "it looks for a file of colours that a user of ours never has",
    part: /\(0, fs_1\.safeReadJson\)\(userThemeFile\)/g,
    instead: "undefined",
  },
  {
    why: "it loads a package to learn whether Windows runs this Linux",
    part: /\(await import\('wsl-utils'\)\)\.isWsl/g,
    instead: '(process.platform === "linux" && /microsoft/i.test(require("node:os").release()))',
  },
  {
    why: "it takes two small functions from the module that renders help",
    part: /\bhelp_1\.(?=getHelpFlagAdditions\b|normalizeArgv\b)/g,
    instead: 'require("./help/util").',
  },
];

/** Takes out what makes every start of oclif slower; `found` notes what there was. */
function withoutDearParts(code: string, found: Set<DearPart>): string {
  let light = code;
  for (const dear of DEAR_PARTS) {
    if (dear.part.test(light)) found.add(dear);
    dear.part.lastIndex = 0;
    light = light.replaceAll(dear.part, (text) =>
      typeof dear.instead === "string" ? dear.instead : dear.instead(text),
    );
  }
  return light;
}

/** Gives each package that oclif requires a chunk beside the one that holds oclif. */
async function requireVendorChunks(
  context: PluginContext,
  code: string,
  importer: string,
  emitted: Set<string>,
): Promise<string> {
  const names = new Set([...code.matchAll(/require\("([^"./][^":]*)"\)/g)].map(([, name]) => name ?? ""));
  let bundled = code;
  for (const name of names) {
    const resolved = await context.resolve(name, importer, { kind: "require-call" });
    if (!resolved || resolved.external || !resolved.id.includes("node_modules")) continue;
    const chunk = `vendor-${name.replaceAll(/[^\w-]+/g, "-")}.cjs`;
    if (!emitted.has(chunk))
      context.emitFile({
        type: "chunk",
        id: `${VENDOR}${relative(ROOT, resolved.id)}`,
        fileName: `chunks/${chunk}`,
        preserveSignature: "strict",
      });
    emitted.add(chunk);
    bundled = bundled.replaceAll(`require("${name}")`, `require("./${chunk}")`);
  }
  return bundled;
}
