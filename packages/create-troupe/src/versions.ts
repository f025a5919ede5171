import { readFileSync } from "node:fs";

/** Version ranges of third-party libraries with which this version of the package was tested. */
export const libraryVersions = {
  "@ai-sdk/react": "^4.0.177",
  "@opentelemetry/api": "^1.10.0",
  "@types/node": "^24.19.2",
  "@types/react": "^19.3.3",
  ai: "^7.0.173",
  mammoth: "^1.13.0",
  next: "^16.4.6",
  parse5: "^8.1.1",
  pg: "^8.23.1",
  react: "^19.2.1",
  "react-dom": "^19.2.1",
  "socket.io": "^4.8.4",
  typescript: "^7.0.2",
  "typescript-of-next": "^5.9.3",
  unpdf: "^1.8.1",
  zod: "^4.6.7",
} as const satisfies Readonly<Record<string, string>>;

/** Returns the version of this package, which all packages of Troupe share. */
export function ownVersion(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** Returns the version range with which a project depends on a package of Troupe or on a library. */
export function rangeOf(name: string): string {
  if (name.startsWith("@troupe/")) return `^${ownVersion()}`;
  const range = (libraryVersions as Readonly<Record<string, string>>)[name];
  if (range === undefined) throw new Error(`The library ${name} has no version in versions.ts.`);
  return range;
}

/** The versions of Node that projects need, as package.json has them. */
export const nodeRange = "^22.19.0 || ^24.14.0 || >=26.0.0";

/** Returns the reason why a version of Node cannot run the command or its projects, or undefined. */
export function nodeFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if ((major === 22 && minor >= 19) || (major === 24 && minor >= 14) || major >= 26) return undefined;
  return `Troupe needs Node.js 22 from 22.19 on, 24 from 24.14 on, or 26 and later: this is Node.js ${version}.`;
}
