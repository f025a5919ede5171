import { expect, it } from "vitest";
import { checkShape } from "./check-shape.ts";
import { soundWorkspace } from "./sound-workspace.ts";
import type { Manifest, Workspace } from "./workspace.ts";

/** Returns what is reported when the adapter's manifest has this fault. */
function faultsWith(fault: Manifest): string[] {
  const workspace = soundWorkspace();
  for (const { folder, manifest } of workspace.packages) {
    if (folder === "providers-google") Object.assign(manifest, fault);
  }
  return checkShape(workspace);
}

/** Returns what is reported when a file of the adapter holds this. */
function faultsWithFile(file: string, text: string | undefined): string[] {
  const workspace = soundWorkspace();
  const packages = workspace.packages.map((subject) => ({
    ...subject,
    read: (name: string) => (name === file ? text : subject.read(name)),
  }));
  return checkShape({ ...workspace, packages });
}

const entryPoint = { "@troupe/source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" };
const manifestEntry = { "./package.json": "./package.json" };

it("checkShape names a command that makes projects without a scope, and ships its templates [package.metadata]", () => {
  const sound = soundWorkspace();
  const [, adapter] = sound.packages;
  if (adapter === undefined) throw new Error("The sound workspace has no adapter.");
  const command = { ...adapter, folder: "create-troupe", path: "packages/create-troupe" };
  const faults = checkShape({ ...sound, packages: [...sound.packages, command] }).join("\n");

  expect(faults).toContain('packages/create-troupe/package.json: "name" must be "create-troupe".');
  expect(faults).toContain('packages/create-troupe/package.json: "files" must be ["dist","templates"].');
});

it("checkShape accepts a sound workspace", () => {
  expect(checkShape(soundWorkspace())).toEqual([]);
});

it.each<[what: string, fault: Manifest]>([
  ["name", { name: "@troupe/google" }],
  ["version", { version: "0.2.0" }],
  ["license", { license: "ISC" }],
  ["repository", { repository: { type: "git", url: "git+https://example.org/troupe.git" } }],
  [
    "repository",
    { repository: { type: "git", url: "git+https://example.org/x.git", directory: "packages/providers-google" } },
  ],
  ["homepage", { homepage: "https://example.org/troupe" }],
  ["bugs", { bugs: "https://example.org/bugs" }],
  ["keywords", { keywords: ["ai", "models"] }],
  ["keywords", { keywords: ["ai", "models", "ai"] }],
  ["keywords", { keywords: ["ai", "models", "My words"] }],
  ["type", { type: "commonjs" }],
  ["sideEffects", { sideEffects: ["./dist/index.js"] }],
  ["files", { files: ["dist", "src"] }],
  ["engines", { engines: { node: ">=20" } }],
  ["private", { private: true }],
  ["publishConfig.access", { publishConfig: { exports: { ".": { ...entryPoint } } } }],
  ["description", { description: "Something else." }],
])("reports a wrong %s [package.metadata]", (what, fault) => {
  expect(faultsWith(fault).join("\n")).toContain(`"${what}"`);
});

it.each<[what: string, readme: string | undefined, sentence: string]>([
  ["is missing", undefined, "there is no README.md"],
  ["has another title", "# Google\n\nSpeaks to a model.\n", "the first line must be"],
  ["begins with something else", "# @troupe/providers-google\n\nHello.\n", "Speaks to a model."],
])("reports a README that %s", (_what, readme, sentence) => {
  expect(faultsWithFile("README.md", readme).join("\n")).toContain(sentence);
});

it.each<[target: string, sentence: string]>([
  ["../../README.md", "does not work on npm"],
  ["examples/ask.ts", "does not work on npm"],
  ["src/index.ts", "does not work on npm"],
  ["http://example.org", "does not work on npm"],
  ["#install", "leads to no heading"],
])("reports the link %s of a README [package.links]", (target, sentence) => {
  const readme = `# @troupe/providers-google\n\nSpeaks to a model.\n\nSee [more](${target}).\n`;

  expect(faultsWithFile("README.md", readme).join("\n")).toContain(`the link ${target} ${sentence}`);
});

it("checkShape accepts links that work on npm, and code that looks like one", () => {
  const links = "[a](https://example.org/x) [b](LICENSE) [c](#an-answers-end) [d](README.md#x)";
  const code = "```ts\nhandlers[0](request)\n# not a heading\n```";
  const page = `Speaks to a model.\n\n${links}\n\n## An answer's end\n\n${code}\n`;

  const faults = faultsWithFile("README.md", `# @troupe/providers-google\n\n${page}`);

  expect(faults.filter((sentence) => sentence.includes("link"))).toEqual([]);
});

it.each<[what: string, exports: Record<string, unknown>, sentence: string]>([
  ["no types", { ".": { "@troupe/source": entryPoint["@troupe/source"], default: entryPoint.default } }, '"types"'],
  ["no source", { ".": { types: entryPoint.types, default: entryPoint.default } }, '"@troupe/source"'],
  ["no default", { ".": { "@troupe/source": entryPoint["@troupe/source"], types: entryPoint.types } }, '"default"'],
  [
    "types after default",
    { ".": { "@troupe/source": "./src/index.ts", default: entryPoint.default, types: entryPoint.types } },
    "in this order",
  ],
  ["a further condition", { ".": { ...entryPoint, require: "./dist/index.cjs" } }, "exactly"],
  ["only a file name", { ".": "./dist/index.js" }, "must be {"],
  ["a source that does not exist", { ".": entryPoint, "./extra": entryPoint }, "./src/extra.ts, which does not exist"],
])("reports an entry point with %s", (_what, exports, sentence) => {
  expect(faultsWith({ exports: { ...exports, ...manifestEntry } }).join("\n")).toContain(sentence);
});

it("checkShape requires a main entry point and one to package.json", () => {
  const wrong = faultsWith({ exports: {} }).join("\n");

  expect(wrong).toContain('no "." entry point');
  expect(wrong).toContain('must hold "./package.json"');
});

it("checkShape reports published entry points that differ from those of the workspace", () => {
  const exports = { ".": entryPoint, ...manifestEntry };

  expect(faultsWith({ publishConfig: { access: "public" } })).toHaveLength(1);
  expect(faultsWith({ publishConfig: { access: "public", exports } })).toHaveLength(1);
});

it.each(["preinstall", "install", "postinstall", "prepare", "prepack", "postpublish", "prepublishOnly"])(
  "checkShape reports a script named %s",
  (script) => {
    const { scripts } = soundWorkspace().packages[0]?.manifest ?? {};

    expect(faultsWith({ scripts: { ...scripts, [script]: "node x.js" } }).join("\n")).toContain(`"${script}"`);
  },
);

it("checkShape reports a build script or build settings that differ from the others", () => {
  expect(faultsWith({ scripts: { build: "tsc" } }).join("\n")).toContain('the "build" script');
  expect(faultsWithFile("tsconfig.build.json", "{}").join("\n")).toContain("tsconfig.build.json");
});

it.each<[what: string, fault: Manifest, sentence: string]>([
  ["a version of its own", { dependencies: { "@google/genai": "^3.0.0" } }, 'write "catalog:"'],
  ["a library that is not allowed", { dependencies: { "left-pad": "catalog:" } }, "left-pad is not among"],
  [
    "a peer that is not allowed",
    { peerDependencies: { "@troupe/core": "workspace:^", pg: "catalog:" } },
    "pg is not among",
  ],
  ["core to install", { dependencies: { "@troupe/core": "workspace:^" } }, "core is a peer"],
  ["a private package to install", { dependencies: { "@troupe-internal/gemini": "workspace:^" } }, "are bundled"],
  ["no core as peer", { peerDependencies: {} }, '"peerDependencies" must hold'],
  ["no core to build with", { devDependencies: {} }, '"devDependencies" must hold'],
  [
    "a sibling",
    { devDependencies: { "@troupe/core": "workspace:^", "@troupe/http": "workspace:^" } },
    "may not import @troupe/http",
  ],
  [
    "the private package of another",
    { devDependencies: { "@troupe/core": "workspace:^", "@troupe-internal/sql-storage": "workspace:^" } },
    "may not import @troupe-internal/sql-storage",
  ],
])("reports a package with %s", (_what, fault, sentence) => {
  expect(faultsWith(fault).join("\n")).toContain(sentence);
});

it("checkShape requires a list of allowed dependencies for a new package", () => {
  const workspace = soundWorkspace();
  for (const { manifest } of workspace.packages) manifest.name = "@troupe/news";

  expect(checkShape(workspace).join("\n")).toContain("allowed-dependencies.ts");
});

it.each<[what: string, change: (workspace: Workspace) => void, sentence: string]>([
  ["an application that would be published", ({ apps }) => delete apps[0]?.manifest.private, "apps/demo/package.json"],
  [
    "a bundled package that would be published",
    ({ internal }) => delete internal[0]?.manifest.private,
    '"private": true',
  ],
  [
    "a bundled package with a public name",
    ({ internal }) => Object.assign(internal[0]?.manifest ?? {}, { name: "@troupe/gemini" }),
    "@troupe-internal/gemini",
  ],
])("reports %s", (_what, change, sentence) => {
  const workspace = soundWorkspace();
  change(workspace);

  expect(checkShape(workspace).join("\n")).toContain(sentence);
});
