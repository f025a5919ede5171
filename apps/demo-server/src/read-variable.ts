import { TroupeError } from "@troupe/core";

/** The environment variables, or some of them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The form of a variable's value: a pattern, and a description for errors. */
export type Form = { readonly pattern: RegExp; readonly expected: string };

/**
 * Returns the trimmed value of a variable, or undefined if it is not set. Throws `invalid_config` for a value of
 * another form, without showing it: it may be a key that was pasted into the wrong variable.
 */
export function readVariable(variables: Variables, name: string, { pattern, expected }: Form): string | undefined {
  const value = (variables[name] ?? "").trim();
  if (value === "") return undefined;
  if (pattern.test(value)) return value;
  throw new TroupeError("invalid_config", `${name} must be ${expected}. Set it anew, or unset it.`);
}

/** Returns the parts of a comma-separated variable, or undefined if there are none. */
export function readListVariable(variables: Variables, name: string, form: Form): string[] | undefined {
  const parts = (variables[name] ?? "").split(",").flatMap((part) => readVariable({ [name]: part }, name, form) ?? []);
  return parts.length > 0 ? parts : undefined;
}

/** Throws `invalid_config` if one of the variables is set but `needed` is not. */
export function requireBeside(variables: Variables, needed: string, names: readonly string[]): void {
  const isSet = (name: string) => (variables[name] ?? "").trim() !== "";
  const given = isSet(needed) ? undefined : names.find(isSet);
  if (given === undefined) return;
  throw new TroupeError("invalid_config", `${given} has no effect without ${needed}. Set that too, or unset ${given}.`);
}
