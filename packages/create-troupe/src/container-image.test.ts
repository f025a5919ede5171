import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../test/temporary-folder.ts";
import { createProject } from "./create-project.ts";
import { packageManagerNames } from "./package-manager.ts";
import type { PackageManagerName } from "./package-manager.ts";
import { templates } from "./templates.ts";
import type { TemplateName } from "./templates.ts";

const servers = (Object.keys(templates) as TemplateName[]).filter((template) => template !== "library");

/** The files that each package manager writes when it installs. */
const lockFiles: Readonly<Record<PackageManagerName, string>> = {
  npm: "package-lock.json",
  pnpm: "pnpm-lock.yaml",
  yarn: "yarn.lock",
  "yarn-berry": "yarn.lock",
  bun: "bun.lock",
};

/** Makes a project, and returns its files, its Dockerfile up to the installation, and what no image gets. */
function projectOf(template: TemplateName, packageManager: PackageManagerName) {
  const folder = temporaryFolder();
  const { files } = createProject({ folder, template, packageManager });
  const [beforeInstall = ""] = readFileSync(join(folder, "Dockerfile"), "utf8").split(/^RUN /m);
  const copied = [...beforeInstall.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, names = ""]) => names.split(" "));
  const ignored = readFileSync(join(folder, ".dockerignore"), "utf8").split("\n");
  return { files, copied, ignored };
}

describe.each(servers)("the container image of a %s", (template) => {
  const { files: common } = projectOf(template, "npm");

  it.each(packageManagerNames)("is installed with all that %s reads: package.json, lock file and settings", (name) => {
    const { files, copied, ignored } = projectOf(template, name);
    const settings = files.filter((file) => !common.includes(file));

    expect(new Set(copied)).toEqual(new Set(["package.json", lockFiles[name], ...settings]));
    for (const file of copied) expect(ignored).not.toContain(file);
  });
});
