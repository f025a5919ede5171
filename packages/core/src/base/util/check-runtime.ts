/**
 * Throws on a runtime that lacks a feature needed by every run. Without this check packages load and report that they
 * are healthy, and then each run fails. It tests the feature and not the version, because other runtimes number their
 * versions differently.
 */
export function checkRuntime(
  promises: object = Promise,
  version: string | undefined = globalThis.process?.versions?.node,
): void {
  if ("withResolvers" in promises) return;
  const found = version === undefined ? "this runtime has no Promise.withResolvers" : `this is Node.js ${version}`;
  const needed = "Node.js 22 from 22.19 on, 24 from 24.14 on, or 26 and later, or a runtime of the same age";
  throw new Error(`Troupe needs ${needed}: ${found}. Install a newer one.`);
}
