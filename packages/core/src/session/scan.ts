import type { StorageDriver, StorageEntry } from "../storage/storage-driver.ts";

const pageSize = 100;

/** What is listed, and behind which key to begin. */
export type Scan = { namespace: string; prefix: string; after?: string | undefined };

/**
 * The entries below a prefix in the order of their keys, some at a time. A driver that takes no notice of the options
 * gives them all at once, and no entry comes twice. The keys must be plain ASCII, as all encoded keys are.
 */
export async function* scan(driver: StorageDriver, { namespace, prefix, after }: Scan): AsyncGenerator<StorageEntry[]> {
  let last = after;
  for (;;) {
    const behind = last;
    const listed = await driver.list(namespace, prefix, {
      limit: pageSize,
      ...(behind !== undefined && { after: behind }),
    });
    const page = behind === undefined ? listed : listed.filter(({ key }) => key > behind);
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    last = page.at(-1)?.key;
  }
}
