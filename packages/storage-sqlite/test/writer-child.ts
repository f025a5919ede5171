import { SqliteStorage } from "../src/sqlite-storage.ts";

/** One of several processes on one file. Sends `ready`, and on a message appends turns, increments a counter and inserts records. */
const [file = "", name = "", turns = "0", additions = "0", insertions = "0"] = process.argv.slice(2);
const storage = new SqliteStorage(file, { durability: "normal", busyTimeoutMs: 60_000 });

async function append(): Promise<void> {
  for (let turn = 1; turn <= Number(turns); turn++) {
    const { seq } = await storage.append("turns", "s/", { name, turn });
    process.send?.({ seq });
  }
}

async function count(): Promise<void> {
  for (let added = 0; added < Number(additions);) {
    const counter = (await storage.get("ns", "counter")) as number | null;
    if (await storage.compareAndSet("ns", "counter", counter, (counter ?? 0) + 1)) added += 1;
  }
}

/** Inserts the same records as the other processes, ten at a time, and sends the keys of those that it inserted. */
async function insert(): Promise<void> {
  for (let call = 0; call < Number(insertions); call++) {
    const keys = Array.from({ length: 10 }, (_, index) => `${call}/${index}`);
    const inserted = await storage.insertAll(keys.map((key) => ({ namespace: "inserted", key, value: name })));
    process.send?.({ inserted: keys.filter((_, index) => inserted[index]) });
  }
}

process.once("message", () => {
  void Promise.all([append(), count(), insert()])
    .then(async () => await storage.close())
    .then(() => process.disconnect());
});
process.send?.("ready");
