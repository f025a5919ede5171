import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { checkContents } from "./check-contents.ts";
import { buildPackages, packPackages } from "./pack-packages.ts";
import type { PackedPackage } from "./pack-packages.ts";
import { runCommand } from "./run-command.ts";

/** Builds and packs every package, and checks what would be published. Returns a sentence for each fault. */
export async function checkPacked(root: string): Promise<string[]> {
  const destination = await mkdtemp(join(tmpdir(), "troupe-packages-"));
  const faults: string[] = [];
  try {
    await buildPackages(root);
    for (const packed of await packPackages(root, destination)) {
      faults.push(...checkContents(packed.name, packed.unpacked), ...(await lintPackage(packed)));
      faults.push(...(await lintTypes(packed, root)));
    }
  } finally {
    await rm(destination, { recursive: true });
  }
  return faults;
}

async function lintPackage({ name, unpacked }: PackedPackage): Promise<string[]> {
  const { messages, pkg } = await publint({ pkgDir: unpacked, pack: false, strict: true });
  return messages.map(
    (message) => `${name}: publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`,
  );
}

/**
 * Runs "are the types wrong" on the tarball. CommonJS, and resolution without "exports", are not supported and not
 * checked.
 */
async function lintTypes({ name, tarball }: PackedPackage, root: string): Promise<string[]> {
  const attw = join(root, "node_modules/.bin/attw");
  const options = ["--profile", "esm-only", "--format", "ascii", "--no-color", "--no-emoji", "--no-summary"];
  const { code, stdout, stderr } = await runCommand(attw, [tarball, ...options], { cwd: root });
  return code === 0 ? [] : [`${name}: the types are wrong:\n${stdout}${stderr}`];
}
