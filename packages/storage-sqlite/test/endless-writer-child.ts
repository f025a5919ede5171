import { SqliteStorage } from "../src/sqlite-storage.ts";

/** Writes without end and tells of each write that it was answered: a turn that fills several pages, and a pair. */
const [file = ""] = process.argv.slice(2);
const storage = new SqliteStorage(file);

for (let number = 1; ; number++) {
  const { seq } = await storage.append("turns", "s/", { number, text: String(number).repeat(5000) });
  process.send?.({ seq });
  await storage.transaction(["one", "other"].map((key) => ({ namespace: "pair", key, value: number })));
  process.send?.({ pair: number });
}
