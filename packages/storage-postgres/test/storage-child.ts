import { once } from "node:events";
import { PostgresStorage } from "@troupe/storage-postgres";

/**
 * A process with its own storage: `storage-child.ts <url> <schema> [<namespace>]`. Sends `"ready"`, waits for
 * `{ appends }`, makes this many appends to one prefix at the same time, and sends their numbers.
 */
const [url = "", schema = "", namespace = "ns"] = process.argv.slice(2);

process.send?.("ready");
const [{ appends }] = (await once(process, "message")) as [{ appends: number }];
const storage = new PostgresStorage(url, { schema });
const appended = await Promise.all(
  Array.from(
    { length: appends },
    async (_, index) => await storage.append(namespace, "s/", { writer: process.pid, index }),
  ),
);
await storage.close();
process.send?.({ numbers: appended.map(({ seq }) => seq) }, () => process.disconnect());
