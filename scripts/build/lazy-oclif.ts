import { join, relative } from "node:path";
import type { Plugin, PluginContext } from "rolldown";
import { bindLazily } from "./lazy-chunks.ts";
import { ROOT } from "./entries.ts";

/**
 * Loads the parts of oclif, such as help and globbing, on first use; a command needs a fifth of them. Each dependency
 * of oclif becomes a chunk. Lines keep their positions for source maps. Docs: docs/decisions/command-line-start.md.
 */
export function lazyOclif(): Plugin {
  const emitted = new Set<string>();
  const found = new Set<SlowPart>();
  return {
    name: "lazy-oclif",
    buildEnd(error) {
      const gone = SLOW_PARTS.filter((slow) => !found.has(slow));
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
            await requireVendorChunks(this, withoutSlowParts(code, found), id, emitted),
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

interface SlowPart {
  readonly why: string;
  readonly part: RegExp;
  readonly instead: string | ((code: string) => string);
}

const SLOW_PARTS: readonly SlowPart[] = [
  {
    why: "it looks for a theme, which our help and tables do not have",
    part: /this\.theme = await this\.loadTheme\(\);/g,
    instead: "",
  },
  {
    why: "it listens for a closed standard output, and so makes the stream that our commands do without",
    part: /process\.stdout\.on\('error', [\s\S]*?\n}\);\n/g,
    instead: (lines) => lines.replaceAll(/[^\n]/g, ""),
  },
  {
    why: "it loads a package to learn whether Windows runs this Linux",
    part: /\(await import\('wsl-utils'\)\)\.isWsl/g,
    instead: '(process.platform === "linux" && /microsoft/i.test(require("node:os").release()))',
  },
  {
    why: "it copies a command for each alias, and so reads the details of its flags",
    part: /\{ \.\.\.command, hidden, id: aliasWithDefaultTopicSeparator \}/g,
    instead: "Object.assign(Object.create(command), { hidden, id: aliasWithDefaultTopicSeparator })",
  },
  {
    why: "it takes two small functions from the module that renders help",
    part: /\bhelp_1\.(?=getHelpFlagAdditions\b|normalizeArgv\b)/g,
    instead: 'require("./help/util").',
  },
];

/** Adds each part that was found to `found`. */
function withoutSlowParts(code: string, found: Set<SlowPart>): string {
  let light = code;
  for (const slow of SLOW_PARTS) {
    if (slow.part.test(light)) found.add(slow);
    slow.part.lastIndex = 0;
    light = light.replaceAll(slow.part, (text) =>
      typeof slow.instead === "string" ? slow.instead : slow.instead(text),
    );
  }
  return light;
}

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
