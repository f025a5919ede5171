import type { SyncDocument } from "@troupe/core";

const count = 12;

/** The text of a document in a version: several pieces, each of which names document and version. */
export function textOf(id: string, version: number): string {
  const pieces = 3 + ((version + id.length) % 4);
  return Array.from({ length: pieces }, (_, at) => `${`Paragraph ${at} of ${id} v${version}. `.repeat(6)}\n\n`).join(
    "",
  );
}

/** The ids of the documents in a version: one is gone in every other version. */
export function idsOf(version: number): string[] {
  const ids = Array.from({ length: count }, (_, index) => `doc-${index}`);
  return version % 2 === 0 ? ids : ids.slice(1);
}

/** The documents of a version, all of which differ from those of other versions. Counts how often each is read. */
export function documentsOf(version: number, reads = new Map<string, number>()): SyncDocument[] {
  return idsOf(version).map((id) => ({
    id,
    hash: `v${version}`,
    read: () => {
      reads.set(id, (reads.get(id) ?? 0) + 1);
      return textOf(id, version);
    },
  }));
}
