import { checkShape } from "./check-shape.ts";
import { readWorkspace } from "./workspace.ts";

/**
 * `pnpm packages`: is every package fit to be published? First as it is written down, then, built and packed, as it
 * would arrive. `--shape` stops after the first half, which takes no build and needs nothing installed.
 */
const root = process.cwd();
const workspace = readWorkspace(root);

async function findFaults(): Promise<string[]> {
  const misshapen = checkShape(workspace);
  // A package that is written down wrongly would only say the same again, less clearly, once it is packed.
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
