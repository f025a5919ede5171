import { MongoStorage } from "../mongo-storage.ts";

/** The sequence numbers that an appending process received. */
export type AppendedNumbers = { numbers: number[] };

/** Appends records under one prefix, all at once, and sends their numbers. */
const [url = "", dbName = "", name = "", count = "0"] = process.argv.slice(2);
const storage = new MongoStorage(url, dbName, name, { timeoutMs: 60_000 });
const appended = await Promise.all(
  Array.from(
    { length: Number(count) },
    async (_, index) => await storage.append("turns", "s/", `${process.pid} ${index}`),
  ),
);
await storage.close();
const said: AppendedNumbers = { numbers: appended.map(({ seq }) => seq) };
process.send?.(said);
