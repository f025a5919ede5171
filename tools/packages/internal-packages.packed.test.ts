import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkContents } from "./check-contents.ts";
import { packPackages } from "./pack-packages.ts";
import { mustRun } from "./run-command.ts";
import { buildThrowAwayWorkspace } from "./throw-away-workspace.ts";

const build = "tsup --config ../../tsup.config.ts && tsc -p tsconfig.build.json";
const entryPoint = { "@troupe/source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" };

function packageFiles(path: string, manifest: { name: string }, source: string): Record<string, string> {
  const common = {
    version: "0.1.0",
    type: "module",
    files: ["dist"],
    exports: { ".": entryPoint },
    scripts: { build },
  };
  return {
    [`${path}/package.json`]: JSON.stringify({ ...common, ...manifest }),
    [`${path}/tsconfig.build.json`]: '{ "extends": "../../tsconfig.build.json" }',
    [`${path}/README.md`]: `# ${manifest.name}\n`,
    [`${path}/src/index.ts`]: source,
  };
}

const peers = { "@troupe/core": "workspace:^" };
const peering = { private: true, peerDependencies: peers, devDependencies: peers };
const bundling = { peerDependencies: peers, devDependencies: { ...peers, "@troupe-internal/gemini": "workspace:^" } };

const core = packageFiles("packages/core", { name: "@troupe/core" }, "export class TroupeError extends Error {}\n");

const gemini = packageFiles(
  "internal/gemini",
  { name: "@troupe-internal/gemini", ...peering },
  `import { TroupeError } from "@troupe/core";
export interface Candidate { text: string }
export function firstCandidate(candidates: readonly Candidate[]): Candidate {
  const [first] = candidates;
  if (first === undefined) throw new TroupeError("Gemini gave no answer.");
  return first;
}
`,
);

const sound = packageFiles(
  "packages/providers-google",
  { name: "@troupe/providers-google", ...bundling },
  `import { firstCandidate } from "@troupe-internal/gemini";
/** The text of the answer. */
export function readAnswer(texts: readonly string[]): string {
  return firstCandidate(texts.map((text) => ({ text }))).text;
}
`,
);

const leaking = packageFiles(
  "packages/providers-vertex",
  { name: "@troupe/providers-vertex", ...bundling },
  'export { firstCandidate as readAnswer } from "@troupe-internal/gemini";\n',
);

let folder: string;
let unpacked: Record<string, string>;

beforeAll(async () => {
  folder = await buildThrowAwayWorkspace({ ...core, ...gemini, ...sound, ...leaking });
  const packed = await packPackages(folder, join(folder, "tarballs"));
  unpacked = Object.fromEntries(packed.map((each) => [each.name, each.unpacked]));
}, 60_000);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

it("a private package is bundled into the package that uses it, and core is not", () => {
  const { "@troupe/providers-google": google = "" } = unpacked;
  const code = readFileSync(join(google, "dist/index.js"), "utf8");

  expect(code).toContain("Gemini gave no answer.");
  expect(code).toContain('from "@troupe/core"');
  expect(checkContents("@troupe/providers-google", google)).toEqual([]);
});

it("bundled code throws the error class of the installed core", async () => {
  const program = `
    import { TroupeError } from "@troupe/core";
    import { readAnswer } from "./dist/index.js";
    try { readAnswer([]); } catch (error) { console.log(error instanceof TroupeError); }`;
  const cwd = join(folder, "packages/providers-google");

  expect(await mustRun(process.execPath, ["--input-type=module", "--eval", program], { cwd })).toBe("true\n");
});

it("a declaration that names a private package is reported", () => {
  const { "@troupe/providers-vertex": vertex = "" } = unpacked;

  expect(checkContents("@troupe/providers-vertex", vertex)).toEqual([
    "@troupe/providers-vertex/dist/index.d.ts names a private package, which cannot be installed.",
  ]);
});
