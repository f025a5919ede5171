import { relative } from "node:path";
import { addPackage } from "./add-package.ts";
import { createProject, refuseFull } from "./create-project.ts";
import type { CreatedProject } from "./create-project.ts";
import { detectPackageManager, packageManagers } from "./package-manager.ts";
import type { PackageManagerName } from "./package-manager.ts";
import { ProjectError } from "./project-error.ts";
import { answerQuestions } from "./questions.ts";
import type { Answers, Ask } from "./questions.ts";
import { helpText, readArguments } from "./read-arguments.ts";
import type { Arguments } from "./read-arguments.ts";
import { ownVersion } from "./versions.ts";

/** The surroundings of the command: folder, package manager, terminal, and the functions by which it acts on them. */
export interface Surroundings {
  readonly cwd: string;
  /** The `npm_config_user_agent` of the package manager that started the command. */
  readonly userAgent: string | undefined;
  /** Asks the user a question. Undefined without a terminal. */
  readonly ask: Ask | undefined;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Installs the dependencies of a folder. Resolves with a sentence about a failure, or undefined. */
  readonly install: (packageManager: PackageManagerName, folder: string) => Promise<string | undefined>;
  /** Makes a path of the user absolute. */
  readonly resolve: (path: string) => string;
}

/** Runs `create-troupe` with its arguments. Resolves with the exit code. */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  try {
    const given = readArguments(args);
    if (given.help) return print(around, helpText);
    if (given.version) return print(around, `${ownVersion()}\n`);
    return given.add.length > 0 ? addAll(given, around) : await create(given, around);
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    around.writeError(`${error.message}\n`);
    return 1;
  }
}

function print({ write }: Surroundings, text: string): number {
  write(text);
  return 0;
}

/** Adds packages to the project in the folder, and prints the lines that use them. */
function addAll({ folder = ".", add, packageManager }: Arguments, around: Surroundings): number {
  const path = around.resolve(folder);
  for (const wanted of add) {
    const { name, added, lines } = addPackage(path, wanted);
    const names = Object.entries(added).map(([each, range]) => `${each} ${range}`);
    const what = names.length === 0 ? `${name} is there already.` : `Added ${names.join(", ")} to package.json.`;
    around.write(`${what} Use it:\n\n  ${lines.join("\n  ")}\n\n`);
  }
  const { program } = packageManagers[packageManager ?? detectPackageManager(around.userAgent)];
  around.write(`Next:\n  ${program} install\n`);
  return 0;
}

async function create(given: Arguments, around: Surroundings): Promise<number> {
  // If the arguments name a folder that has files, the command fails before it asks the user anything.
  if (given.folder !== undefined) refuseFull(around.resolve(given.folder));
  const answers = await answerQuestions(given, given.yes ? undefined : around.ask);
  const packageManager = given.packageManager ?? detectPackageManager(around.userAgent);
  const project = createProject({
    folder: around.resolve(answers.folder),
    name: given.name,
    template: answers.template,
    vendor: answers.vendor,
    packageManager,
  });
  around.write(`Made ${project.name} with ${project.files.length} files in ${project.folder}.\n`);
  noteParent(project, around);
  const failure = answers.install ? await around.install(packageManager, project.folder) : undefined;
  if (failure !== undefined) around.writeError(`${failure}\n`);
  around.write(nextCommands(project, { packageManager, installed: answers.install && failure === undefined, around }));
  return failure === undefined ? 0 : 1;
}

/**
 * Prints a note if the project's folder lies in a workspace, whose package manager may treat the project as a member.
 */
function noteParent({ parent }: CreatedProject, { write }: Surroundings): void {
  if (parent === undefined) return;
  const sentence = parent.isMember
    ? "names the folder, so that the project is a member of that workspace and is installed with it."
    : "does not name the folder, so that the project stands alone. Add it there to make it a member.";
  write(`Note: ${parent.file} ${sentence}\n`);
}

type Outcome = {
  readonly packageManager: PackageManagerName;
  readonly installed: Answers["install"];
  readonly around: Surroundings;
};

function nextCommands({ folder }: CreatedProject, { packageManager, installed, around }: Outcome): string {
  const { program, run } = packageManagers[packageManager];
  const below = relative(around.cwd, folder);
  const path = below.startsWith("..") ? folder : below;
  const enter = path === "" ? [] : [`cd ${/[^\w./\\:-]/.test(path) ? `"${path}"` : path}`];
  const install = installed ? [] : [`${program} install`];
  const lines = [...enter, ...install, `${run} dev`];
  return `\nNext:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}
