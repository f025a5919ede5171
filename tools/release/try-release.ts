import { mkdir, writeFile } from "node:fs/promises";
import { mustRun } from "../packages/run-command.ts";
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

/** Installs all packages from the registry of the environment in an empty folder, and imports every entry point. */
export async function tryRelease(
  packages: readonly ReleasedPackage[],
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<Trial> {
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/package.json`, '{ "name": "all", "version": "0.0.0", "private": true, "type": "module" }');
  const peers = new Set(packages.flatMap((each) => each.peers).filter((name) => !name.startsWith("@troupe/")));
  const specs = packages.map(({ name, version }) => `${name}@${version}`);
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await mustRun("npm", ["install", ...options, ...specs, ...peers], { cwd: folder, env });
  const entryPoints = packages.flatMap((each) => each.entryPoints);
  const printed = await mustRun(
    process.execPath,
    ["--input-type=module", "-e", importer, JSON.stringify(entryPoints)],
    { cwd: folder },
  );
  const bill = await mustRun("npm", ["sbom", "--sbom-format=cyclonedx", "--omit=dev"], { cwd: folder, env });
  const { bomFormat, components } = JSON.parse(bill) as BillOfMaterials;
  const listed = new Set(components.map(({ group, name, version }) => `${group ? `${group}/` : ""}${name}@${version}`));
  return {
    faults: [
      ...(JSON.parse(printed) as string[]),
      ...(bomFormat === "CycloneDX" ? [] : [`The bill of materials is not CycloneDX: ${bomFormat}.`]),
      ...specs.filter((spec) => !listed.has(spec)).map((spec) => `The bill of materials does not list ${spec}.`),
    ],
    installed: components.length,
    bill,
  };
}
