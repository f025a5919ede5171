import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { TroupeError } from "@troupe/core";
import { SqliteStorage } from "@troupe/storage-sqlite";

/** A storage that has been written to, and the file that it is. */
export type OpenStorage = { readonly storage: SqliteStorage; readonly file: string };

/** Opens the file of the sessions in a folder, which is made when it is not there. What cannot be written to is refused here. */
export async function openStorage(folder: string): Promise<OpenStorage> {
  const file = join(resolve(folder), "troupe.db");
  try {
    await mkdir(resolve(folder), { recursive: true });
    const storage = new SqliteStorage(file);
    // A file that can be read may still refuse the first session.
    await storage.set("demo", "startedAt", Date.now());
    return { storage, file };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = `No sessions can be kept in ${file}. Name a folder that can be written to in TROUPE_DEMO_DATA. (${reason})`;
    throw new TroupeError("storage_unavailable", sentence, { cause: error });
  }
}
