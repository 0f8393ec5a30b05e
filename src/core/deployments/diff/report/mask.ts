import { maskCredentials, maskSource, REDACTED } from "../../../secrets/redact.ts";
import type { Change, FieldChange } from "../change.ts";

/** Runs after the comparison, so that masked values are still compared. */
export function maskChange(change: Change): Change {
  const { name, previousName } = change;
  return {
    ...change,
    ...(name !== undefined && { name: maskCredentials(name) }),
    ...(previousName !== undefined && { previousName: maskCredentials(previousName) }),
    fields: change.fields.map(maskField),
    effects: change.effects.map((effect) =>
      effect.kind === "unknown" ? { ...effect, value: maskValue(effect.field, effect.value) } : effect,
    ),
  };
}

function maskField({ field, ...values }: FieldChange): FieldChange {
  return {
    field: maskCredentials(field),
    ...("from" in values && { from: maskValue(field, values.from) }),
    ...("to" in values && { to: maskValue(field, values.to) }),
  };
}

function maskValue(field: string, value: unknown): unknown {
  const prefix = `${field}: `;
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const line = prefix + text.replaceAll(/[\r\n]+/g, " ");
  const masked = maskSource(line);
  if (masked === line) return value;
  return masked.startsWith(prefix) ? masked.slice(prefix.length) : REDACTED;
}
