import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkContents } from "./check-contents.ts";
import { lintTypes, lintWithPublint } from "./lint-packages.ts";
import { buildPackages, packPackages } from "./pack-packages.ts";

/** Builds and packs every package, and says what is wrong with what would be published. */
export async function checkPacked(root: string): Promise<string[]> {
  const destination = await mkdtemp(join(tmpdir(), "troupe-packages-"));
  const wrong: string[] = [];
  try {
    await buildPackages(root);
    for (const packed of await packPackages(root, destination)) {
      wrong.push(...checkContents(packed.name, packed.unpacked), ...(await lintWithPublint(packed)));
      wrong.push(...(await lintTypes(packed, root)));
    }
  } finally {
    await rm(destination, { recursive: true });
  }
  return wrong;
}
