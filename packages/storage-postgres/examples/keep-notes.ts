import { TroupeError } from "@troupe/core";
import { PostgresStorage } from "@troupe/storage-postgres";

// Nothing is connected yet: the first call does that. Nobody listens on port 1, so that this runs without a server.
const storage = new PostgresStorage(process.argv[2] ?? "postgres://app:secret@127.0.0.1:1/app");

try {
  const { seq } = await storage.append("notes", "ann/", { text: "Oslo: take an umbrella" });
  console.log(`Stored as number ${seq}.`);
} catch (error) {
  if (!TroupeError.is(error)) throw error;
  console.log(`${error.code}: ${error.message}`);
} finally {
  await storage.close();
}
