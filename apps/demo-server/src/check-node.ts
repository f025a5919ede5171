/**
 * Throws an error with advice if this version of Node is too old for the demo server. Imports nothing, so that any
 * version of Node can load it.
 */
export function checkNode(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if ((major === 22 && minor >= 19) || (major === 24 && minor >= 14) || major >= 26) return;
  throw new Error(
    `The demo server needs Node 22 from 22.19 on, 24 from 24.14 on, or 26 and later, got ${version}. "npx -y pnpm@12 start", in the root of the repository, brings its own.`,
  );
}
