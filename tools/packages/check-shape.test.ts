import { expect, it } from "vitest";
import { checkShape } from "./check-shape.ts";
import { soundWorkspace } from "./sound-workspace.ts";
import type { Manifest, Workspace } from "./workspace.ts";

/** What is said when the fault is planted in the adapter's manifest. */
function plant(fault: Manifest): string[] {
  const workspace = soundWorkspace();
  for (const { folder, manifest } of workspace.packages) {
    if (folder === "providers-google") Object.assign(manifest, fault);
  }
  return checkShape(workspace);
}

/** What is said when a file of the adapter holds this. */
function plantFile(file: string, text: string | undefined): string[] {
  const workspace = soundWorkspace();
  const packages = workspace.packages.map((subject) => ({
    ...subject,
    read: (name: string) => (name === file ? text : subject.read(name)),
  }));
  return checkShape({ ...workspace, packages });
}

const door = { "@troupe/source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" };
const manifestDoor = { "./package.json": "./package.json" };

it("finds nothing wrong with a sound workspace", () => {
  expect(checkShape(soundWorkspace())).toEqual([]);
});

it.each<[what: string, fault: Manifest]>([
  ["name", { name: "@troupe/google" }],
  ["version", { version: "0.2.0" }],
  ["license", { license: "ISC" }],
  ["type", { type: "commonjs" }],
  ["sideEffects", { sideEffects: ["./dist/index.js"] }],
  ["files", { files: ["dist", "src"] }],
  ["engines", { engines: { node: ">=20" } }],
  ["private", { private: true }],
  ["publishConfig.access", { publishConfig: { exports: { ".": { ...door } } } }],
  ["description", { description: "Something else." }],
])("names %s when it is not what the house agreed on", (what, fault) => {
  expect(plant(fault).join("\n")).toContain(`"${what}"`);
});

it.each<[what: string, readme: string | undefined, sentence: string]>([
  ["is missing", undefined, "there is no README.md"],
  ["has another title", "# Google\n\nSpeaks to a model.\n", "the first line must be"],
  ["begins with something else", "# @troupe/providers-google\n\nHello.\n", "Speaks to a model."],
])("sees a README that %s", (_what, readme, sentence) => {
  expect(plantFile("README.md", readme).join("\n")).toContain(sentence);
});

it.each<[what: string, exports: Record<string, unknown>, sentence: string]>([
  ["no types", { ".": { "@troupe/source": door["@troupe/source"], default: door.default } }, '"types"'],
  ["no source", { ".": { types: door.types, default: door.default } }, '"@troupe/source"'],
  ["no default", { ".": { "@troupe/source": door["@troupe/source"], types: door.types } }, '"default"'],
  [
    "types after default",
    { ".": { "@troupe/source": "./src/index.ts", default: door.default, types: door.types } },
    "in this order",
  ],
  ["a further condition", { ".": { ...door, require: "./dist/index.cjs" } }, "exactly"],
  ["only a file name", { ".": "./dist/index.js" }, "must be {"],
  ["a source that does not exist", { ".": door, "./extra": door }, "./src/extra.ts, which does not exist"],
])("sees a door with %s", (_what, exports, sentence) => {
  expect(plant({ exports: { ...exports, ...manifestDoor } }).join("\n")).toContain(sentence);
});

it("wants a main door and a door to package.json", () => {
  const wrong = plant({ exports: {} }).join("\n");

  expect(wrong).toContain('no "." door');
  expect(wrong).toContain('must hold "./package.json"');
});

it("sees published doors that differ from those of the workspace", () => {
  const exports = { ".": door, ...manifestDoor };

  expect(plant({ publishConfig: { access: "public" } })).toHaveLength(1);
  expect(plant({ publishConfig: { access: "public", exports } })).toHaveLength(1);
});

it.each(["preinstall", "install", "postinstall", "prepare", "prepack", "postpublish", "prepublishOnly"])(
  "refuses a script named %s",
  (script) => {
    const { scripts } = soundWorkspace().packages[0]?.manifest ?? {};

    expect(plant({ scripts: { ...scripts, [script]: "node x.js" } }).join("\n")).toContain(`"${script}"`);
  },
);

it("sees a package that builds in a way of its own", () => {
  expect(plant({ scripts: { build: "tsc" } }).join("\n")).toContain('the "build" script');
  expect(plantFile("tsconfig.build.json", "{}").join("\n")).toContain("tsconfig.build.json");
});

it.each<[what: string, fault: Manifest, sentence: string]>([
  ["a version of its own", { dependencies: { "@google/genai": "^3.0.0" } }, 'write "catalog:"'],
  ["a library nobody allowed", { dependencies: { "left-pad": "catalog:" } }, "left-pad is not among"],
  ["a peer nobody allowed", { peerDependencies: { "@troupe/core": "workspace:^", pg: "catalog:" } }, "pg is not among"],
  ["core to install", { dependencies: { "@troupe/core": "workspace:^" } }, "core is a peer"],
  ["a private package to install", { dependencies: { "@troupe-internal/gemini": "workspace:^" } }, "are bundled"],
  ["no core as peer", { peerDependencies: {} }, '"peerDependencies" must hold'],
  ["no core to build with", { devDependencies: {} }, '"devDependencies" must hold'],
  [
    "a sibling",
    { devDependencies: { "@troupe/core": "workspace:^", "@troupe/http": "workspace:^" } },
    "may not know @troupe/http",
  ],
  [
    "somebody else's private package",
    { devDependencies: { "@troupe/core": "workspace:^", "@troupe-internal/sql-storage": "workspace:^" } },
    "may not know @troupe-internal/sql-storage",
  ],
])("sees a package with %s", (_what, fault, sentence) => {
  expect(plant(fault).join("\n")).toContain(sentence);
});

it("asks for a decision about what a new package may depend on", () => {
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
])("sees %s", (_what, change, sentence) => {
  const workspace = soundWorkspace();
  change(workspace);

  expect(checkShape(workspace).join("\n")).toContain(sentence);
});
