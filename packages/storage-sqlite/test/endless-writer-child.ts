import { SqliteStorage } from "../src/sqlite-storage.ts";

/** Writes until it is killed, and confirms each write with a message: a turn of several pages, then a pair of records. */
const [file = ""] = process.argv.slice(2);
const storage = new SqliteStorage(file);

for (let number = 1; ; number++) {
  const { seq } = await storage.append("turns", "s/", { number, text: String(number).repeat(5000) });
  process.send?.({ seq });
  await storage.transaction(["one", "other"].map((key) => ({ namespace: "pair", key, value: number })));
  process.send?.({ pair: number });
}
