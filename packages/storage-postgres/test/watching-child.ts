import pg from "pg";
import { PostgresStorage } from "@troupe/storage-postgres";

/** A process that watches a storage, says `"hearing"` at its first hint, and ends once it has nothing else to do: `watching-child.ts <url> <schema>`. */
const [url = "", schema = ""] = process.argv.slice(2);

// Connections of this pool that are idle do not keep the process alive.
const pool = new pg.Pool({ connectionString: url, allowExitOnIdle: true });
const storage = new PostgresStorage({ pool }, { schema });
storage.watch("run-log", () => {
  if (!process.connected) return;
  process.send?.("hearing");
  process.disconnect();
});
