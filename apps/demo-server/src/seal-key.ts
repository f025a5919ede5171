import { randomBytes, randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TroupeError } from "@troupe/core";

/** The form of a seal key: 32 random bytes as base64url. */
const keyForm = /^[\w-]{43}$/;

/**
 * Returns the seal key in a folder: the key that encrypts callers' API keys in the stored records of their runs. The
 * first call generates it, in a file that only the file's owner may read.
 */
export async function readSealKey(folder: string): Promise<string> {
  const file = join(folder, "seal.key");
  const key = (await readIfThere(file)) ?? (await makeKey(file));
  if (keyForm.test(key)) return key;
  const sentence = `${file} must hold the 43 characters of a key that this server made, and does not. Restore it, or delete it: a new one is made, and runs under way with a caller's API key cannot go on.`;
  throw new TroupeError("invalid_config", sentence);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Creates the file of the seal key atomically: if two servers start together, both get the key that the first server
 * has created.
 */
async function makeKey(file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx", flush: true });
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, "utf8")).trim();
}
