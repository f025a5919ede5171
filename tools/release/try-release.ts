import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "../packages/run-command.ts";
import type { Registry } from "../registry/registry.ts";
import { commandOf, makePath, managers, nodeProgram, nodes } from "../registry/user-programs.ts";
import type { Manager } from "../registry/user-programs.ts";
import type { ReleasedPackage } from "./next-release.ts";

/** A CycloneDX document, as far as it is read. */
type BillOfMaterials = {
  readonly bomFormat: string;
  readonly components: readonly { readonly name: string; readonly group?: string; readonly version: string }[];
};

/** Imports each entry point in a process of its own memory, and prints what fails. */
const importer = `
  const failures = [];
  for (const name of JSON.parse(process.argv[1])) {
    await import(name).catch((error) => failures.push(name + ": " + error.message));
  }
  console.log(JSON.stringify(failures));
`;

/** The result of trying a release as its users do. */
export interface Trial {
  readonly faults: readonly string[];
  /** The number of packages that were installed with ours. */
  readonly installed: number;
  /** The bill of materials of all packages with their libraries, as CycloneDX. */
  readonly bill: string;
}

type Consumer = { readonly packages: readonly ReleasedPackage[]; readonly registry: Registry; readonly folder: string };

/** The consumers try what was published a moment ago, which package managers take for too young. */
const settings: NodeJS.ProcessEnv = {
  pnpm_config_minimum_release_age: "0",
  YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
  YARN_ENABLE_SCRIPTS: "false",
};

/** The flags of each package manager's `install`. Yarn from 2 on has settings instead. */
const flags: Readonly<Record<Manager, readonly string[]>> = {
  npm: ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
  pnpm: ["--ignore-scripts"],
  yarn: ["--ignore-scripts", "--non-interactive"],
  "yarn-berry": [],
  bun: ["--ignore-scripts"],
};

/**
 * Installs all packages from a registry in empty folders, with each package manager, and imports every entry point: what
 * npm installed on each version of Node, and what the others installed on one.
 */
export async function tryRelease(consumer: Consumer): Promise<Trial> {
  const faults = await Promise.all(managers.map((manager) => tryManager(manager, consumer)));
  const { missing, ...bill } = await readBill(consumer);
  return { faults: [...faults.flat(), ...missing], ...bill };
}

/** Returns a sentence for each fault of an installation with one package manager. */
async function tryManager(manager: Manager, consumer: Consumer): Promise<string[]> {
  const cwd = join(consumer.folder, manager);
  await mkdir(cwd, { recursive: true });
  await writeFile(join(cwd, "package.json"), manifestOf(consumer.packages));
  if (manager === "yarn-berry") {
    await writeFile(join(cwd, ".yarnrc.yml"), "nodeLinker: node-modules\n");
    await writeFile(join(cwd, "yarn.lock"), "");
  }
  await mustRun(commandOf(manager), ["install", ...flags[manager]], { cwd, env: environmentOf(manager, consumer) });
  const entryPoints = consumer.packages.flatMap((each) => each.entryPoints);
  const args = ["--input-type=module", "-e", importer, JSON.stringify(entryPoints)];
  const faults: string[] = [];
  for (const node of manager === "npm" ? nodes : (["24"] as const)) {
    const failures = JSON.parse(await mustRun(nodeProgram(node), args, { cwd })) as string[];
    faults.push(...failures.map((failure) => `Installed with ${manager}, on Node ${node}: ${failure}`));
  }
  return faults;
}

function manifestOf(packages: readonly ReleasedPackage[]): string {
  const peers = packages.flatMap((each) => each.peers).filter((name) => !name.startsWith("@troupe/"));
  const dependencies = {
    ...Object.fromEntries(packages.map(({ name, version }) => [name, version])),
    ...Object.fromEntries(peers.map((name) => [name, "*"])),
  };
  return JSON.stringify({ name: "all", version: "0.0.0", private: true, type: "module", dependencies });
}

function environmentOf(manager: Manager, { registry, folder }: Consumer): NodeJS.ProcessEnv {
  return { ...registry.environment, ...settings, PATH: makePath(join(folder, `bin-${manager}`), "24", manager) };
}

/** Reads the bill of materials of what npm installed. */
async function readBill(consumer: Consumer): Promise<Omit<Trial, "faults"> & { readonly missing: readonly string[] }> {
  const options = { cwd: join(consumer.folder, "npm"), env: environmentOf("npm", consumer) };
  const bill = await mustRun("npm", ["sbom", "--sbom-format=cyclonedx", "--omit=dev"], options);
  const { bomFormat, components } = JSON.parse(bill) as BillOfMaterials;
  const listed = new Set(components.map(({ group, name, version }) => `${group ? `${group}/` : ""}${name}@${version}`));
  const specs = consumer.packages.map(({ name, version }) => `${name}@${version}`);
  return {
    missing: [
      ...(bomFormat === "CycloneDX" ? [] : [`The bill of materials is not CycloneDX: ${bomFormat}.`]),
      ...specs.filter((spec) => !listed.has(spec)).map((spec) => `The bill of materials does not list ${spec}.`),
    ],
    installed: components.length,
    bill,
  };
}
