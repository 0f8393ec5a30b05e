import type { Issue } from "../api/issue.ts";
import { maskCredentials } from "../secrets/redact.ts";
import { specOf } from "../env/tiers.ts";
import { valueProblem } from "../env/value-rules.ts";
import { acceptedValues } from "../env/values.ts";
import { listed } from "../findings/rule.ts";
import type { PackagedValues } from "../facts/packaged.generated.ts";
import type { EnumSpec, RuntimeContract } from "../facts/schema.ts";
import type { CarriedDrivers, EnvValues } from "./plan.ts";

/** Reads values by the contract: default where unset, alias to canonical spelling, and a reason for what is neither. */
export class Reader {
  readonly issues: Issue[] = [];
  /** Keys that were asked for and that the contract does not declare as an enum. */
  readonly undeclared: string[] = [];
  readonly #contract: RuntimeContract;
  readonly #values: EnvValues;
  readonly #carried: Readonly<Record<string, readonly string[] | undefined>>;

  constructor(contract: RuntimeContract, values: EnvValues, carried: CarriedDrivers) {
    this.#contract = contract;
    this.#values = values;
    this.#carried = carried;
  }

  spec(key: string): EnumSpec | undefined {
    const spec = specOf(this.#contract, key);
    return spec?.kind === "enum" ? spec : undefined;
  }

  /** The canonical spelling of the key's value. The contract's vocabulary is the type's, as far as it is packaged. */
  choice<Key extends keyof PackagedValues>(key: Key): PackagedValues[Key] {
    return this.#choice(key) as PackagedValues[Key];
  }

  integer(key: string, otherwise: number): number {
    const given = this.text(key);
    return given === "" ? otherwise : Number(given);
  }

  /** A value that the contract accepts, or an empty one with the reason reported. The value is not repeated. */
  text(key: string): string {
    const given = this.#given(key);
    const spec = specOf(this.#contract, key);
    if (given === "" || !spec) return "";
    if (!valueProblem(key, spec, given)) return given;
    const accepted = acceptedValues(spec);
    this.refuse(
      "STARTUP_VALUE_UNSUPPORTED",
      key,
      `${key}: the value is not accepted; accepted: ${listed(accepted)}`,
      accepted,
    );
    return given;
  }

  refuse(code: string, key: string, message: string, accepted?: readonly string[]): void {
    this.issues.push({
      code,
      severity: "error",
      path: [key],
      message: maskCredentials(message),
      ...(accepted && { accepted }),
    });
  }

  #choice(key: string): string {
    const spec = this.spec(key);
    if (!spec) {
      this.undeclared.push(key);
      return "";
    }
    const given = this.#given(key);
    const chosen = given === "" ? spec.default : (canonical(spec, given) ?? spec.otherwise);
    if (chosen !== undefined) return this.#carries(key, chosen, given);
    const problem = valueProblem(key, spec, given);
    this.refuse("STARTUP_VALUE_UNSUPPORTED", key, problem?.message ?? `${key} is not supported`, acceptedValues(spec));
    return given;
  }

  #carries(key: string, chosen: string, given: string): string {
    const carried = Object.hasOwn(this.#carried, key) ? this.#carried[key] : undefined;
    if (!carried || chosen === "" || carried.includes(chosen)) return chosen;
    const which = given === "" ? `"${chosen}", the default` : `"${chosen}"`;
    const message = `${key}: this backend has no adapter for ${which}; accepted: ${listed(carried)}`;
    this.refuse("STARTUP_DRIVER_NOT_CARRIED", key, message, carried);
    return chosen;
  }

  #given(key: string): string {
    return this.#values[key]?.trim() ?? "";
  }
}

/**
 * The canonical spelling of a value. Keys with aliases are drivers, which the backend accepts in any
 * case; the others are taken as they are, so that `derby` or `YES` fail fast.
 */
function canonical(spec: EnumSpec, given: string): string | undefined {
  if (spec.values.includes(given) || !spec.aliases) return spec.values.find((value) => value === given);
  const lower = given.toLowerCase();
  const named = Object.hasOwn(spec.aliases, lower) ? spec.aliases[lower] : undefined;
  return named ?? spec.values.find((value) => value.toLowerCase() === lower);
}
