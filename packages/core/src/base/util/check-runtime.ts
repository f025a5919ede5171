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
  throw new Error(`Troupe needs Node.js 22.19 or newer, or a runtime of the same age: ${found}. Install a newer one.`);
}
