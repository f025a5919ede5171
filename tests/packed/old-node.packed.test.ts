import { dirname, join } from "node:path";
import { beforeAll, expect, inject, it } from "vitest";
import { installTarballs } from "../../tools/packages/install-tarballs.ts";
import { mustRun } from "../../tools/packages/run-command.ts";

const consumerFolder = inject("consumerFolder");
const folder = join(dirname(consumerFolder), "old-node");
/** The package in which npm's `node` keeps the program of this platform. */
const platform = `node-${process.platform}-${process.arch}`;
/** The packages that run wherever `fetch` exists, including browsers and older versions of Node. */
const anywhere = ["@troupe/client"];
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

beforeAll(async () => {
  await installTarballs(folder, [`${platform}@20.20.2`]);
}, 240_000);

it("each package of the service says at import that Node 20 is too old, and what it needs", async () => {
  const node = join(folder, "node_modules", platform, "bin/node");
  const output = await mustRun(node, ["--input-type=module", "-e", program], { cwd: consumerFolder });

  const sentence =
    "Troupe needs Node.js 22.19 or newer, or a runtime of the same age: this is Node.js 20.20.2. Install a newer one.";
  expect(JSON.parse(output)).toEqual(Object.fromEntries(entryPoints.map((name) => [name, sentence])));
});
