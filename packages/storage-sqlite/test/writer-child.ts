import { SqliteStorage } from "../src/sqlite-storage.ts";

/** One of several processes on one file. Sends `ready`, and on a message appends turns and increments a counter. */
const [file = "", name = "", turns = "0", additions = "0"] = process.argv.slice(2);
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

process.once("message", () => {
  void Promise.all([append(), count()])
    .then(async () => await storage.close())
    .then(() => process.disconnect());
});
process.send?.("ready");
