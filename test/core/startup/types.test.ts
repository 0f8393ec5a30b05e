/** The knowledge of an editor about `svcm/startup`, from the types in the build. */
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { REPOSITORY } from "../../support/command-line.ts";

const FILE = join(REPOSITORY, "dist/lib/esm/startup.d.ts");
const program = ts.createProgram([FILE], { module: ts.ModuleKind.NodeNext, strict: true });
const checker = program.getTypeChecker();
const source = program.getSourceFile(FILE);
const exported = source ? checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol) : [];

function typeOf(name: string): ts.Type {
  const symbol = exported.find((one) => one.name === name);
  if (!symbol) throw new Error(`${name} is not exported`);
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return checker.getDeclaredTypeOfSymbol(target);
}

function documentation(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker));
}

function choice(type: string, member: string): string[] {
  const symbol = checker.getPropertyOfType(typeOf(type), member);
  const union = symbol ? checker.getTypeOfSymbol(symbol) : undefined;
  return union?.isUnion()
    ? union.types.map((one) => (one.isStringLiteral() ? one.value : checker.typeToString(one)))
    : [];
}

test.each(["StartupPlan", "RealtimePlan", "WebSocketPlan", "StartupOptions", "StartupRefused", "Issue", "Secret"])(
  "every member of %s is explained where it is used",
  (name) => {
    const own = checker.getPropertiesOfType(typeOf(name)).filter(({ declarations = [] }) => {
      return declarations.some(
        (one) => one.getSourceFile() === source && !ts.isPrivateIdentifier(ts.getNameOfDeclaration(one) ?? one),
      );
    });
    const silent = own.filter((member) => documentation(member) === "" && member.name !== "name");
    expect(own.length).toBeGreaterThan(2);
    expect(silent.map((member) => member.name)).toEqual([]);
  },
);

test("a plan's choices are the values of the contract, not any text", () => {
  expect(choice("StartupPlan", "httpFramework")).toHaveLength(11);
  expect(choice("StartupPlan", "databaseDriver")).toContain("PostgreSQL");
  expect(choice("StartupPlan", "keyValueDriver").toSorted()).toEqual(["inmemory", "redis"]);
  expect(choice("StartupPlan", "messageMediator").toSorted()).toEqual(["bullmq", "inmemory", "rabbitmq"]);
  expect(choice("RealtimePlan", "databaseDriver")).toContain("MS SQL");
  expect(choice("WebSocketPlan", "adapter").toSorted()).toEqual(["cluster", "memory", "redis-streams"]);
});
