import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { manifestFile } from "./manifest.ts";
import { packageManagers } from "./package-manager.ts";
import type { PackageManagerName } from "./package-manager.ts";
import { findParentWorkspace } from "./parent-workspace.ts";
import type { ParentWorkspace } from "./parent-workspace.ts";
import { ProjectError } from "./project-error.ts";
import { nameFault, nameOfFolder } from "./project-name.ts";
import { templateFiles, templates } from "./templates.ts";
import type { TemplateName } from "./templates.ts";
import { adviceOf, environmentFile, modelFile, vendors } from "./vendors.ts";
import type { VendorName } from "./vendors.ts";

/** Options of `createProject`. */
export type CreateProjectOptions = {
  /** The folder of the project. It is made if it does not exist, and must be empty. */
  folder: string;
  /** The name in package.json. @default the name of the folder, in a form that npm accepts */
  name?: string | undefined;
  /** The kind of project: `service`, `next`, `worker` or `library`. @default "service" */
  template?: TemplateName | undefined;
  /** The vendor of the model: `openai`, `anthropic`, `google` or `ollama`. @default "openai" */
  vendor?: VendorName | undefined;
  /** The package manager whose commands the files name: `npm`, `pnpm`, `yarn`, `yarn-berry` or `bun`. @default "npm" */
  packageManager?: PackageManagerName | undefined;
};

/** The result of `createProject`: the project that was written. */
export interface CreatedProject {
  /** The absolute path of the project's folder. */
  readonly folder: string;
  readonly name: string;
  /** The paths of the project's files, below its folder, with slashes, in order. */
  readonly files: readonly string[];
  /** The workspace of a package manager around the folder, if there is one. */
  readonly parent: ParentWorkspace | undefined;
}

/** Files that an empty repository may have. A project keeps them. */
const harmless = new Set([".git", ".gitattributes", ".idea", ".vscode", ".DS_Store", "LICENSE"]);

/** Writes a project into an empty folder. Installs nothing. */
export function createProject(options: CreateProjectOptions): CreatedProject {
  const folder = resolve(options.folder);
  const name = options.name ?? nameOfFolder(basename(folder));
  const fault = nameFault(name);
  if (fault !== undefined) throw new ProjectError(`"${name}" is not a name that npm takes: ${fault}. Choose another.`);
  refuseFull(folder);
  const parent = findParentWorkspace(folder);
  const files = projectFiles({ ...options, name, parent });
  for (const [path, text] of files) {
    const file = join(folder, ...path.split("/"));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
  }
  return { folder, name, files: [...files.keys()].toSorted(), parent };
}

/** Throws if a folder has files that a project could damage. Names them. */
export function refuseFull(folder: string): void {
  const found = namesIn(folder).filter((name) => !harmless.has(name));
  if (found.length === 0) return;
  const shown = found.toSorted().slice(0, 5).join(", ");
  const rest = found.length > 5 ? ` and ${found.length - 5} more` : "";
  throw new ProjectError(`The folder ${folder} is not empty. It has ${shown}${rest}. Choose another folder.`);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    if (code === "ENOTDIR") throw new ProjectError(`${folder} is a file. Choose another folder.`);
    throw error;
  }
}

type Choices = CreateProjectOptions & { readonly name: string; readonly parent: ParentWorkspace | undefined };

function projectFiles(choices: Choices): Map<string, string> {
  const { name, template = "service", vendor = "openai", packageManager = "npm", parent } = choices;
  const { run, lockfile, installLocked, installProduction } = packageManagers[packageManager];
  const advice = adviceOf(vendor);
  const keys = `It runs without a key, on an offline model that understands nothing. Set \`${vendors[vendor].variable}\` in \`.env\` to reach a language model. A clone needs a copy of \`.env.example\` as \`.env\`.`;
  const values = { name, run, lockfile, installLocked, installProduction, advice, keys };
  const files = templateFiles(template, values);
  files.set("package.json", manifestFile({ name, template, vendor }));
  files.set("src/model.ts", modelFile(vendor));
  for (const file of [".env", ".env.example"]) {
    files.set(file, environmentFile(vendor, templates[template].isServer));
  }
  for (const [path, text] of managerFiles(packageManager, parent)) files.set(path, text);
  return files;
}

/**
 * Returns the files that a package manager needs. A project may lie in the folder of another project's workspace
 * without being a member of it. Such a project becomes a workspace root, because pnpm would otherwise install the other
 * workspace, and Yarn would refuse to install. Yarn from 2 on takes any package.json in a folder above for a root.
 */
function managerFiles(packageManager: PackageManagerName, parent: ParentWorkspace | undefined): [string, string][] {
  if (parent?.isMember === true) return [];
  const ownLock: [string, string] = ["yarn.lock", ""];
  if (packageManager === "pnpm") return [["pnpm-workspace.yaml", pnpmSettings]];
  if (packageManager === "yarn-berry") return [[".yarnrc.yml", berrySettings], ownLock];
  return packageManager === "yarn" && parent !== undefined ? [ownLock] : [];
}

/** The settings of Yarn from 2 on: the Dockerfile copies `node_modules`, which it would not make by default. */
const berrySettings = "nodeLinker: node-modules\n";

/**
 * The settings that pnpm needs: it fails on a library with an install script that its settings neither allow nor
 * forbid. All libraries in this list work without their scripts.
 */
const pnpmSettings = `packages:
  - .

allowBuilds:
  "@google/genai": false
  msgpackr-extract: false
  protobufjs: false
  sharp: false
`;
