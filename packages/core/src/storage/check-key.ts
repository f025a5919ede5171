import { TroupeError } from "../errors/troupe-error.ts";
import { keyProblem } from "../util/key-problem.ts";

/** Refuses a namespace or a key that not every driver could store as it is. */
export function checkKey(namespace: string, key: string): void {
  checkText("namespace", namespace, "must not be empty");
  checkText("key", key, "must not be empty");
}

/** Refuses what cannot begin a key. The empty prefix begins every key. */
export function checkPrefix(namespace: string, prefix: string): void {
  checkText("namespace", namespace, "must not be empty");
  checkText("prefix", prefix);
}

function checkText(name: string, text: string, ifEmpty?: string): void {
  const problem = text === "" ? ifEmpty : keyProblem(text);
  if (problem !== undefined) throw new TroupeError("invalid_value", `The storage ${name} ${problem}.`);
}
