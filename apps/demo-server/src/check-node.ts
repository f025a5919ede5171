/**
 * Throws an error with advice if this version of Node is too old for the demo server. Imports nothing, so that any
 * version of Node can load it.
 */
export function checkNode(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return;
  throw new Error(
    `The demo server needs Node 22.19 or newer, got ${version}. "npx -y pnpm@12 start", in the root of the repository, brings its own.`,
  );
}
