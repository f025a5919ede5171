import { internalUsers } from "../../layers/internal-users.ts";
import { packageEdges } from "../../layers/layers.ts";
import { allowedDependencies } from "../allowed-dependencies.ts";
import type { Manifest } from "../workspace.ts";
import type { PackageRule } from "./rule.ts";

const core = "@troupe/core";
/**
 * The packages without core as a peer: core itself, the client, which runs where the service does not, and the command
 * that makes projects.
 */
const coreless: ReadonlySet<string> = new Set([core, "@troupe/client", "create-troupe"]);
const ours = /^@troupe(-internal)?\//;

/**
 * Rule: a package depends on core as a peer, on allowed libraries, on private packages that it bundles, and on no
 * sibling but for the tests of a package whose edges have one.
 */
export const dependencies: PackageRule = ({ manifest, path }) => {
  const where = `${path}/package.json:`;
  return [
    ...wrongRanges(manifest).map((sentence) => `${where} ${sentence}`),
    ...wrongVendors(manifest).map((sentence) => `${where} ${sentence}`),
    ...wrongSiblings(manifest, path).map((sentence) => `${where} ${sentence}`),
    ...(coreless.has(manifest.name ?? "") ? [] : wrongCore(manifest).map((sentence) => `${where} ${sentence}`)),
  ];
};

function wrongRanges(manifest: Manifest): string[] {
  return Object.entries({ ...installed(manifest), ...manifest.devDependencies })
    .filter(([name, range]) => !ours.test(name) && range !== "catalog:")
    .map(([name]) => `the version of ${name} belongs in the catalog of pnpm-workspace.yaml; write "catalog:" here.`);
}

function wrongVendors(manifest: Manifest): string[] {
  const allowed = allowedDependencies[manifest.name ?? ""];
  if (allowed === undefined) {
    return [`${manifest.name} is not listed in tools/packages/allowed-dependencies.ts; list its allowed dependencies.`];
  }
  return Object.keys(installed(manifest))
    .filter((name) => !ours.test(name) && !allowed.includes(name))
    .map(
      (name) =>
        `${name} is not among the dependencies that tools/packages/allowed-dependencies.ts allows ${manifest.name}.`,
    );
}

function wrongSiblings(manifest: Manifest, path: string): string[] {
  const toInstall = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
    .filter((name) => ours.test(name))
    .map(
      (name) =>
        `${name} must not be among the dependencies: core is a peer, private packages are bundled, siblings are not imported.`,
    );
  const toKnow = Object.keys({ ...manifest.peerDependencies, ...manifest.devDependencies })
    .filter((name) => ours.test(name) && name !== core && internalUsers[name]?.includes(manifest.name ?? "") !== true)
    // Its tests may use a sibling, if the layers say so.
    .filter((name) => manifest.peerDependencies?.[name] !== undefined || packageEdges[path]?.includes(name) !== true)
    .map((name) => `${manifest.name} may not import ${name}: see layers.ts.`);
  return [...toInstall, ...toKnow];
}

function wrongCore(manifest: Manifest): string[] {
  return (["peerDependencies", "devDependencies"] as const)
    .filter((field) => manifest[field]?.[core] !== "workspace:^")
    .map(
      (field) =>
        `"${field}" must hold "${core}": "workspace:^", so that an application has one core and the build finds it.`,
    );
}

/** Returns the dependencies that are installed with the package. */
function installed(manifest: Manifest): Record<string, string> {
  return { ...manifest.optionalDependencies, ...manifest.dependencies, ...manifest.peerDependencies };
}
