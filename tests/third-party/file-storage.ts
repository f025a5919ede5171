import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TroupeError } from "@troupe/core";
import type { Json, StorageDriver } from "@troupe/core";
import type { StorageEntry } from "@troupe/core/storage";
import { createId } from "@troupe/core/kit";
import { checkRecordKey, checkPrefix, parseJson, toJson } from "@troupe/core/storage";

/**
 * A third party's storage: one JSON file per record, and only the five required methods. Keys may be longer than file names,
 * so a file is named by the hash of its key and holds the key.
 */
export class FileStorage implements StorageDriver {
  readonly #folder: string;
  readonly #made = new Set<string>();
  #closed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async get(namespace: string, key: string): Promise<Json | null> {
    this.#checkOpen();
    checkRecordKey(namespace, key);
    return (await this.#read(namespace, hashOf(key)))?.value ?? null;
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    this.#checkOpen();
    checkRecordKey(namespace, key);
    const json = toJson(value);
    if (json === null) return await this.delete(namespace, key);
    const [folder, beside] = [this.#namespace(namespace), join(this.#folder, "new")];
    const written = join(beside, createId());
    // Written elsewhere under a unique name and then moved, so that a reader sees one value or the other, whole.
    const text = `${JSON.stringify(key)}\n${JSON.stringify(json)}`;
    await Promise.all([this.#make(folder), this.#make(beside)]);
    await writeFile(written, text);
    await rename(written, join(folder, hashOf(key)));
  }

  async delete(namespace: string, key: string): Promise<void> {
    this.#checkOpen();
    checkRecordKey(namespace, key);
    await rm(join(this.#namespace(namespace), hashOf(key)), { force: true });
  }

  async list(namespace: string, prefix = ""): Promise<StorageEntry[]> {
    this.#checkOpen();
    checkPrefix(namespace, prefix);
    const names = await readdir(this.#namespace(namespace)).catch((): string[] => []);
    const entries = await Promise.all(names.map(async (name) => await this.#read(namespace, name)));
    return entries
      .filter((entry) => entry !== undefined)
      .filter(({ key }) => key.startsWith(prefix))
      .toSorted((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  async #read(namespace: string, name: string): Promise<StorageEntry | undefined> {
    try {
      const text = await readFile(join(this.#namespace(namespace), name), "utf8");
      // The key is the first line and the value the second: JSON has no line breaks of its own.
      const [key = "", value = ""] = text.split("\n");
      const at = { namespace, key: name };
      return { key: parseJson(key, at) as string, value: parseJson(value, at) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async #make(folder: string): Promise<void> {
    if (this.#made.has(folder)) return;
    await mkdir(folder, { recursive: true });
    this.#made.add(folder);
  }

  #checkOpen(): void {
    if (this.#closed) throw new TroupeError("storage_unavailable", "The storage is closed. Create a new one.");
  }

  #namespace(namespace: string): string {
    return join(this.#folder, hashOf(namespace));
  }
}

function hashOf(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}
