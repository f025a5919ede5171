import { once } from "node:events";
import { PostgresStorage } from "@troupe/storage-postgres";

/**
 * A process with a storage of its own: `storage-child.ts <url> <schema>`. It says `"ready"`, waits for a message
 * `{ appends }`, makes so many to one prefix at the same time, and says what numbers they got.
 */
const [url = "", schema = ""] = process.argv.slice(2);

process.send?.("ready");
const [{ appends }] = (await once(process, "message")) as [{ appends: number }];
const storage = new PostgresStorage(url, { schema });
const appended = await Promise.all(
  Array.from({ length: appends }, async (_, index) => await storage.append("ns", "s/", { writer: process.pid, index })),
);
await storage.close();
process.send?.({ numbers: appended.map(({ seq }) => seq) }, () => process.disconnect());
