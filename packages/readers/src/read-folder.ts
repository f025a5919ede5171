import { createHash } from "node:crypto";
import { constants } from "node:fs";
import type { Dirent } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { extname, join, resolve, sep } from "node:path";
import { TroupeError } from "@troupe/core";
import type { SyncDocument, SyncDocuments } from "@troupe/core";
import { functionOption, optional, readOptions, wrongOption } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import { checkSize, knownEndings, readDocument } from "./read-document.ts";
import { readOptionTable } from "./read-options.ts";
import type { ReadLimits, ReadOptions } from "./read-options.ts";

/** Options of `readFolder`: the choice of files, their metadata, and the limits of each document. */
export type FolderOptions = ReadOptions & {
  /**
   * Returns true for a file to read. The path is relative to the folder, with `/`. @default all files of known
   * formats
   */
  include?: ((path: string) => boolean) | undefined;
  /** Returns metadata for a file, such as its `url`. It is added to the metadata of the document. */
  metadata?: ((path: string) => Record<string, unknown>) | undefined;
};

const optionTable = {
  ...readOptionTable,
  include: optional(functionOption<NonNullable<FolderOptions["include"]>>()),
  metadata: optional(functionOption<NonNullable<FolderOptions["metadata"]>>()),
} satisfies OptionTable<FolderOptions>;

type Settings = ReadLimits & Pick<FolderOptions, "include" | "metadata">;

/**
 * The version of the readers' output. Increase it when a reader returns a different text for the same bytes, so that
 * documents are stored again.
 */
const readersVersion = 3;

/**
 * Lists the documents of a folder and its folders for `KnowledgeBase.sync`. The id of a document is its path; its
 * hash is computed from its bytes, which are read once. Hidden files, `node_modules` and symbolic links are skipped.
 */
export function readFolder(path: string, options: FolderOptions = {}): SyncDocuments & AsyncIterable<SyncDocument> {
  if (typeof path !== "string" || path === "") throw wrongOption("path", "the path of a folder", path);
  const settings = readOptions(optionTable, options, { owner: "readFolder" });
  return { [Symbol.asyncIterator]: () => listDocuments(resolve(path), settings) };
}

async function* listDocuments(path: string, settings: Settings): AsyncGenerator<SyncDocument> {
  const root = await realpath(path).catch((cause: unknown) => {
    throw unreadable("folder", cause);
  });
  for await (const id of listFiles(root)) {
    if (isWanted(id, settings)) yield await toDocument(root, id, settings);
  }
}

function isWanted(id: string, { include }: Settings): boolean {
  return knownEndings.includes(extname(id).toLowerCase()) && (include === undefined || include(id));
}

/** Yields the paths of all files below a folder, sorted. Throws if a folder cannot be read. */
async function* listFiles(root: string): AsyncGenerator<string> {
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readEntries(join(root, folder));
    const below: string[] = [];
    for (const entry of entries) {
      const id = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isDirectory()) below.push(id);
      else if (entry.isFile()) yield id;
    }
    folders.push(...below.toReversed());
  }
}

async function readEntries(path: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  } catch (cause) {
    throw unreadable("folder", cause);
  }
}

/**
 * Reads the bytes of a file to compute its hash. If the file cannot be read, the returned document fails when its text
 * is read.
 */
async function toDocument(root: string, id: string, settings: Settings): Promise<SyncDocument> {
  try {
    const bytes = await readBytes(root, id, settings);
    const metadata = settings.metadata?.(id) ?? {};
    const hash = createHash("sha256")
      .update(JSON.stringify([readersVersion, metadata]))
      .update(bytes)
      .digest("hex");
    const { maxBytes, maxPages, timeoutMs } = settings;
    const read = async () => {
      const document = await readDocument(bytes, { name: id }, { maxBytes, maxPages, timeoutMs });
      return { ...document, metadata: { ...document.metadata, ...metadata } };
    };
    return { id, hash, read };
  } catch (error) {
    return { id, read: () => Promise.reject(error) };
  }
}

async function readBytes(root: string, id: string, settings: Settings): Promise<Uint8Array> {
  const path = join(root, ...id.split("/"));
  // A folder in the path may have been replaced by a symbolic link since it was listed.
  const real = await realpath(path).catch(() => "");
  if (real !== path && !real.startsWith(root + sep)) throw unreadable("file");
  const file = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((cause: unknown) => {
    throw unreadable("file", cause);
  });
  try {
    checkSize((await file.stat()).size, settings);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function unreadable(kind: "file" | "folder", cause?: unknown): TroupeError {
  return new TroupeError("invalid_value", `The ${kind} cannot be read.`, { cause });
}
