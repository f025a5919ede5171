import { checkShape } from "./check-shape.ts";
import { readWorkspace } from "./workspace.ts";

/**
 * `pnpm packages`: checks that every package is ready to be published. Checks manifests and READMEs first, then the
 * built and packed packages. `--shape` stops after the first part, which needs no build and no installation.
 */
const root = process.cwd();
const workspace = readWorkspace(root);

async function findFaults(): Promise<string[]> {
  const misshapen = checkShape(workspace);
  // A wrong manifest would be reported again, less clearly, after packing.
  if (misshapen.length > 0 || process.argv.includes("--shape")) return misshapen;
  const { checkPacked } = await import("./check-packed.ts");
  return await checkPacked(root);
}

try {
  const faults = await findFaults();
  for (const sentence of faults) console.error(sentence);
  if (faults.length > 0) process.exitCode = 1;
  else console.log(`Sound packages: ${workspace.packages.map(({ manifest }) => manifest.name).join(", ")}.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
