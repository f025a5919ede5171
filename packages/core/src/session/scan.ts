import type { StorageDriver, StorageEntry } from "../storage/storage-driver.ts";

const pageSize = 100;

/** Entries for `scan` to list: all whose keys begin with the prefix, or only those after a key. */
export type Scan = { namespace: string; prefix: string; after?: string | undefined };

/**
 * Lists the entries below a prefix in the order of their keys, in pages. A driver that ignores list options returns all
 * of them at once; no entry comes twice. Keys must be ASCII, as all encoded keys are.
 *
 * @yields pages of entries, none of them empty
 */
export async function* scan(driver: StorageDriver, { namespace, prefix, after }: Scan): AsyncGenerator<StorageEntry[]> {
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
