// One of several processes that add the same document to a knowledge base in an SQLite file. Sends `ready`; on a message it
// adds its versions one after the other, and ends.
import { once } from "node:events";
import { openDocs, versionsOf } from "./knowledge-versions.ts";

const [file = "", writer = "0"] = process.argv.slice(2);
const docs = openDocs(file);
await docs.initialize();
process.send?.("ready");
await once(process, "message");
for (const content of versionsOf(Number(writer))) await docs.add({ id: "page", content });
await docs.close();
process.disconnect();
