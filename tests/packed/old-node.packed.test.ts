import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, inject, it } from "vitest";
import { installTarballs } from "../../tools/packages/install-tarballs.ts";
import { runCommand } from "../../tools/packages/run-command.ts";

const consumerFolder = inject("consumerFolder");
const folder = join(dirname(consumerFolder), "old-node");
/** The package in which npm's `node` keeps the program of this platform. */
const platform = `node-${process.platform}-${process.arch}`;
/**
 * The packages that load on older versions of Node: the client runs wherever `fetch` exists, and the command that makes
 * projects says itself what they need.
 */
const anywhere = ["@troupe/client", "create-troupe"];
const audiences = ["runs", "kit", "provider", "storage", "vector", "transport", "testing"];
const entryPoints = [
  ...inject("packed")
    .map(({ name }) => name)
    .filter((name) => !anywhere.includes(name)),
  ...audiences.map((audience) => `@troupe/core/${audience}`),
];

/** Prints what the import of each entry point says. */
const program = `
  const said = {};
  for (const name of ${JSON.stringify(entryPoints)}) {
    said[name] = await import(name).then(() => "nothing", (error) => error.message);
  }
  console.log(JSON.stringify(said));
`;

/** Runs a program or a file with the old version of Node. */
async function runOld(args: readonly string[]) {
  const node = join(folder, "node_modules", platform, "bin/node");
  return await runCommand(node, args, { cwd: consumerFolder });
}

beforeAll(async () => {
  await installTarballs(folder, [`${platform}@20.20.2`]);
}, 240_000);

it("each package of the service says at import that Node 20 is too old, and what it needs", async () => {
  const { stdout } = await runOld(["--input-type=module", "-e", program]);

  const sentence =
    "Troupe needs Node.js 22 from 22.19 on, 24 from 24.14 on, or 26 and later, or a runtime of the same age: this is Node.js 20.20.2. Install a newer one.";
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(entryPoints.map((name) => [name, sentence])));
});

it("the command that makes projects says that Node 20 is too old, and makes nothing", async () => {
  const answer = await runOld(["node_modules/create-troupe/dist/main.js", "never-made"]);

  const sentence =
    "Troupe needs Node.js 22 from 22.19 on, 24 from 24.14 on, or 26 and later: this is Node.js 20.20.2.\n";
  expect(answer).toEqual({ code: 1, stdout: "", stderr: sentence });
  expect(existsSync(join(consumerFolder, "never-made"))).toBe(false);
});
