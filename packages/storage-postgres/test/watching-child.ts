import pg from "pg";
import { PostgresStorage } from "@troupe/storage-postgres";

/**
 * A process that watches a storage, sends `"called"` at its first hint, and ends once it has nothing else to do:
 * `watching-child.ts <url> <schema> own|given [<listening url>]`. `own` or `given`: the pool. The connection that listens
 * is made with the last argument, when there is one.
 */
const [url = "", schema = "", whose = "own", listeningUrl = url] = process.argv.slice(2);

// Connections of this pool that are idle do not keep the process alive.
const pool = new pg.Pool({ connectionString: url, allowExitOnIdle: true });
const storage = new PostgresStorage(whose === "own" ? url : { pool }, { schema });
await storage.get("run-log", "k");
Object.assign(pool.options, { connectionString: listeningUrl });
storage.watch("run-log", () => {
  if (!process.connected) return;
  process.send?.("called");
  process.disconnect();
});
