import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { addablePackages } from "./addable-packages.ts";
import { rangeOf } from "./versions.ts";

type Manifest = {
  name: string;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

const root = join(import.meta.dirname, "../../..");
const manifests = globSync("packages/*/package.json", { cwd: root }).map(
  (file) => JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest,
);
const entries = Object.entries(addablePackages);

it("every package can be added, but for core, which every project has, and for this one", () => {
  const published = manifests.map(({ name }) => name.replace("@troupe/", ""));

  const expected = published.filter((name) => name !== "core" && name !== "create-troupe");
  expect(Object.keys(addablePackages).toSorted()).toEqual(expected.toSorted());
});

it.each(entries)("the first line of %s imports what the package exports", (name, { lines: [line] }) => {
  const [, exported = "", from] = /^import \{ (\w+) \} from "(.+)";$/.exec(line) ?? [];

  expect(from).toBe(`@troupe/${name}`);
  const index = readFileSync(join(root, "packages", name, "src/index.ts"), "utf8");
  expect(index).toMatch(
    new RegExp(`export \\{[^}]*\\b${exported}\\b[^}]*\\}|export (const|class|function) ${exported}\\b`),
  );
});

it.each(entries)("%s is added with the libraries that it cannot do without", (name, { libraries = [] }) => {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = manifests.find(
    (each) => each.name === `@troupe/${name}`,
  ) ?? { name };
  const needed = Object.keys(peerDependencies).filter(
    (peer) => !peer.startsWith("@troupe/") && peerDependenciesMeta[peer]?.optional !== true,
  );

  expect(libraries).toEqual(expect.arrayContaining(needed));
  for (const library of libraries) expect(rangeOf(library)).toMatch(/^\^/);
});
