import type { StorageDriver, StorageEntry } from "../storage/storage-driver.ts";

const defaultPageSize = 100;

/**
 * A range of entries for `scan`: all entries whose keys begin with the prefix, or only the entries after a key.
 * `pageSize` is the number that is listed at once, 100 by default.
 */
export type ScanRange = { namespace: string; prefix: string; after?: string | undefined; pageSize?: number };

/**
 * Lists the entries below a prefix in pages, sorted by key. A driver that ignores list options returns all of them at
 * once; each entry is listed once. Keys must be ASCII, as all encoded keys are.
 *
 * @yields pages of entries, never empty
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
