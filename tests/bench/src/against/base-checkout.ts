import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "../../../..");

/** The file that names the commit of the base. */
const baseFile = join(import.meta.dirname, "base-commit");

/**
 * Does some work with a checkout of the base in a folder of its own, with its packages installed, and removes the folder
 * afterwards. Throws if the clone lacks the commit.
 */
export async function withBase<Result>(work: (root: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-base-"));
  try {
    const commit = (await readFile(baseFile, "utf8")).trim();
    const archive = join(folder, "base.tar");
    await run("git", ["archive", "--output", archive, commit], { cwd: repository });
    await run("tar", ["-xf", archive, "-C", folder]);
    await run("npx", ["-y", "pnpm@12", "install", "--prefer-offline", "--frozen-lockfile"], { cwd: folder });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
