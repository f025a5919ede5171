import type { StorageDriver, StorageEntry } from "../storage/storage-driver.ts";

const defaultPageSize = 100;

/**
 * Entries for `scan` to list: all whose keys begin with the prefix, or only those after a key. `pageSize` is the number
 * that is listed at once, 100 by default.
 */
export type ScanRange = { namespace: string; prefix: string; after?: string | undefined; pageSize?: number };

/**
 * Lists the entries below a prefix in the order of their keys, in pages. A driver that ignores list options returns all
 * of them at once; no entry comes twice. Keys must be ASCII, as all encoded keys are.
 *
 * @yields pages of entries, none of them empty
 */
export async function* scan(
  driver: StorageDriver,
  { namespace, prefix, after, pageSize = defaultPageSize }: ScanRange,
): AsyncGenerator<StorageEntry[]> {
  let last = after;
  for (;;) {
    const previous = last;
    const listed = await driver.list(namespace, prefix, {
      limit: pageSize,
      ...(previous !== undefined && { after: previous }),
    });
    const page = previous === undefined ? listed : listed.filter(({ key }) => key > previous);
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    last = page.at(-1)?.key;
  }
}
