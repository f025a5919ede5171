import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TroupeError } from "@troupe/core";
import type { Json, StorageDriver, StorageEntry } from "@troupe/core";
import { checkKey, checkPrefix, parseJson, toJson } from "@troupe/core/adapter";

/** What somebody else might write: a storage of one JSON file per record, with the five methods that are required. */
export class FileStorage implements StorageDriver {
  readonly #folder: string;
  #closed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async get(namespace: string, key: string): Promise<Json | null> {
    this.#checkOpen();
    checkKey(namespace, key);
    try {
      return parseJson(await readFile(this.#file(namespace, key), "utf8"), { namespace, key });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    this.#checkOpen();
    checkKey(namespace, key);
    const json = toJson(value);
    if (json === null) return await this.delete(namespace, key);
    const file = this.#file(namespace, key);
    await mkdir(this.#namespace(namespace), { recursive: true });
    await writeFile(`${file}.new`, JSON.stringify(json));
    await rename(`${file}.new`, file);
  }

  async delete(namespace: string, key: string): Promise<void> {
    this.#checkOpen();
    checkKey(namespace, key);
    await rm(this.#file(namespace, key), { force: true });
  }

  async list(namespace: string, prefix = ""): Promise<StorageEntry[]> {
    this.#checkOpen();
    checkPrefix(namespace, prefix);
    const names = await readdir(this.#namespace(namespace)).catch((): string[] => []);
    // Names are the keys' bytes in hexadecimal, so their order is the order of the bytes.
    const keys = names.toSorted().map((name) => Buffer.from(name, "hex").toString("utf8"));
    const entries: StorageEntry[] = [];
    for (const key of keys.filter((each) => each.startsWith(prefix))) {
      const value = await this.get(namespace, key);
      if (value !== null) entries.push({ key, value });
    }
    return entries;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #checkOpen(): void {
    if (this.#closed) throw new TroupeError("storage_unavailable", "The storage is closed: make a new one.");
  }

  #namespace(namespace: string): string {
    return join(this.#folder, Buffer.from(namespace).toString("hex"));
  }

  #file(namespace: string, key: string): string {
    return join(this.#namespace(namespace), Buffer.from(key).toString("hex"));
  }
}
