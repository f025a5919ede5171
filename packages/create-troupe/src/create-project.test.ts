import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../test/temporary-folder.ts";
import { createProject } from "./create-project.ts";
import { packageManagerNames, packageManagers } from "./package-manager.ts";
import { templates } from "./templates.ts";
import type { TemplateName } from "./templates.ts";
import { vendors } from "./vendors.ts";
import type { VendorName } from "./vendors.ts";

const shared = [
  ".env",
  ".env.example",
  ".github/workflows/test.yml",
  ".gitignore",
  "AGENTS.md",
  "README.md",
  "package.json",
  "src/helper.test.ts",
  "src/helper.ts",
  "src/model.ts",
  "src/offline-model.ts",
  "src/tools/weather.ts",
  "tsconfig.json",
];
const deployed = [".dockerignore", "Dockerfile", "compose.yaml"];

/** The files of each template beside those of all. */
const ownFiles: Readonly<Record<TemplateName, readonly string[]>> = {
  service: [...deployed, "dev.ts", "src/main.ts", "src/service.test.ts", "src/service.ts", "tsconfig.build.json"],
  next: [
    ...deployed,
    "app/api/[...path]/route.ts",
    "app/chat.tsx",
    "app/health/route.ts",
    "app/layout.tsx",
    "app/page.tsx",
    "src/service.ts",
  ],
  worker: [
    ...deployed,
    "dev.ts",
    "src/enqueue.ts",
    "src/main.ts",
    "src/service.test.ts",
    "src/service.ts",
    "tsconfig.build.json",
  ],
  library: ["dev.ts", "src/main.ts", "tsconfig.build.json"],
};

const names = Object.keys(templates) as TemplateName[];

describe("createProject", () => {
  it.each(names)("writes the files of a %s, and nothing else", (template) => {
    const folder = join(temporaryFolder(), "mes agents é");

    const project = createProject({ folder, template });

    const expected = [...shared, ...ownFiles[template]].toSorted();
    expect(project).toMatchObject({ folder, name: "mes-agents-e", files: expected });
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(found).toHaveLength(expected.length);
  });

  it.each(names.flatMap((template) => packageManagerNames.map((name) => [template, name] as const)))(
    "leaves no placeholder in a %s for %s, and names no other package manager",
    (template, packageManager) => {
      const folder = temporaryFolder();
      const { files } = createProject({ folder, template, packageManager });

      const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
      expect(text).not.toMatch(/\{\{\s*\w+\s*\}\}/);
      const { program: own } = packageManagers[packageManager];
      const others = Object.values(packageManagers).filter(({ program }) => program !== own);
      for (const { program } of others) expect(text).not.toMatch(new RegExp(`\\b${program} run`));
    },
  );

  it.each(Object.keys(vendors) as VendorName[])("asks for the variable of %s, and depends on its package", (vendor) => {
    const folder = temporaryFolder();
    createProject({ folder, vendor });

    const read = (file: string) => readFileSync(join(folder, file), "utf8");
    for (const file of [".env.example", "src/model.ts", "src/offline-model.ts", "README.md"]) {
      expect(read(file)).toContain(vendors[vendor].variable);
    }
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: object };
    expect(Object.keys(dependencies).filter((name) => name.includes("/providers-"))).toEqual([vendors[vendor].package]);
  });

  it("refuses a folder that is not empty, and names what is in it", () => {
    const folder = temporaryFolder();
    for (const file of ["a.txt", "b.txt"]) writeFileSync(join(folder, file), "mine");

    expect(() => createProject({ folder })).toThrowError("is not empty. It has a.txt, b.txt. Choose another folder.");
    expect(readdirSync(folder)).toEqual(["a.txt", "b.txt"]);
  });

  it("names five files of a full folder, and counts the others", () => {
    const folder = temporaryFolder();
    for (const file of ["g", "f", "e", "d", "c", "b", "a"]) writeFileSync(join(folder, file), "");

    expect(() => createProject({ folder })).toThrowError("It has a, b, c, d, e and 2 more.");
  });

  it("refuses a file in place of the folder", () => {
    const folder = join(temporaryFolder(), "file");
    writeFileSync(folder, "");

    expect(() => createProject({ folder })).toThrowError("is a file. Choose another folder.");
  });

  it("accepts the folder of an empty repository, and leaves its files as they are", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, "LICENSE"), "mine");

    createProject({ folder });

    expect(readFileSync(join(folder, "LICENSE"), "utf8")).toBe("mine");
  });

  it("refuses a name that npm does not take, before it writes", () => {
    const folder = join(temporaryFolder(), "x");

    expect(() => createProject({ folder, name: "My Agents" })).toThrowError(
      '"My Agents" is not a name that npm takes: it has capital letters. Choose another.',
    );
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    ["pnpm", "apps/*", ["pnpm-workspace.yaml"]],
    ["pnpm", "packages/*", []],
    ["yarn", "apps/*", ["yarn.lock"]],
    ["yarn", "packages/*", []],
    ["yarn-berry", "apps/*", [".yarnrc.yml", "yarn.lock"]],
    ["yarn-berry", "packages/*", []],
    ["npm", "apps/*", []],
    ["bun", "apps/*", []],
  ] as const)("createProject for %s in a workspace of %s writes %j", (packageManager, pattern, roots) => {
    const root = temporaryFolder();
    writeFileSync(join(root, "package.json"), JSON.stringify({ workspaces: [pattern] }));

    const { files, parent } = createProject({ folder: join(root, "packages", "agents"), packageManager });

    expect(files.filter((file) => /^(pnpm-workspace\.yaml|yarn\.lock|\.yarnrc\.yml)$/.test(file))).toEqual(roots);
    expect(parent).toEqual({ file: join(root, "package.json"), isMember: pattern === "packages/*" });
  });
});
