import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import type { PackedPackage } from "./pack-packages.ts";
import { runCommand } from "./run-command.ts";

/** What publint says, its suggestions included, about a package as it would be installed. */
export async function lintWithPublint({ name, unpacked }: PackedPackage): Promise<string[]> {
  const { messages, pkg } = await publint({ pkgDir: unpacked, pack: false, strict: true });
  return messages.map(
    (message) => `${name}: publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`,
  );
}

/** What "are the types wrong" says about a tarball. CommonJS and resolution without "exports" are not served, so not judged. */
export async function lintTypes({ name, tarball }: PackedPackage, root: string): Promise<string[]> {
  const attw = join(root, "node_modules/.bin/attw");
  const options = ["--profile", "esm-only", "--format", "ascii", "--no-color", "--no-emoji", "--no-summary"];
  const { code, stdout, stderr } = await runCommand(attw, [tarball, ...options], { cwd: root });
  return code === 0 ? [] : [`${name}: the types are wrong:\n${stdout}${stderr}`];
}
