import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { join, resolve } from "node:path";
import { createLogger, RunService, TroupeError } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { createShutdown } from "@troupe/http";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { chooseModel } from "./choose-model.ts";
import { createDemo } from "./demo.ts";
import type { Demo } from "./demo.ts";
import { listen, readAddress, readHosts } from "./listen.ts";
import { readSealKey } from "./seal-key.ts";
import { createDemoServer, serveSockets } from "./server.ts";

/** Room for a key of 16 KB in each of the four key headers, beside the 16 KB that Node allows for all headers. */
const maxHeaderSize = 81_920;

/** Leaves to Socket.IO the connections of its own path. Elsewhere a wish for another protocol is not heard, as HTTP allows. */
const shouldUpgradeCallback = ({ url = "" }: IncomingMessage): boolean => url.startsWith("/socket.io/");

async function main(variables: NodeJS.ProcessEnv): Promise<void> {
  const address = readAddress(variables);
  const model = chooseModel(variables);
  const folder = resolve(variables["TROUPE_DEMO_DATA"] || ".data");
  const file = join(folder, "troupe.db");
  const storage = await openStorage(file);
  const demo = createDemo({ model, storage });
  const logger = createLogger({ level: "warn" });
  const runs = new RunService({ ...demo, storage, sealKeys: [await readSealKey(folder)], logger });
  const shutdown = createShutdown({ graceMs: 5000 });
  const serving = { runs, shutdown, allowedHosts: readHosts(variables) };
  const server = createServer({ maxHeaderSize, shouldUpgradeCallback }, createDemoServer(demo, serving));
  const io = serveSockets(server, demo, serving);
  shutdown.attach(server);
  const url = await listen(server, address);
  // Once the port is ours: a second server on this file would perform the same runs.
  await runs.serve();
  shutdown.onSignals();
  console.log(banner({ url, demo, model, file }));
  await shutdown.finished;
  await io.close();
  await runs.close();
  await storage.close();
}

/** Opens the storage and its folder, and writes to it once: a file that can be read may still refuse the first session. */
async function openStorage(file: string): Promise<SqliteStorage> {
  try {
    await mkdir(resolve(file, ".."), { recursive: true });
    const storage = new SqliteStorage(file);
    await storage.set("demo", "startedAt", Date.now());
    return storage;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = `Cannot store sessions in ${file}. Set TROUPE_DEMO_DATA to a folder that this process can write to. (${reason})`;
    throw new TroupeError("storage_unavailable", sentence, { cause: error });
  }
}

type Started = { readonly url: string; readonly demo: Demo; readonly model: ModelProvider; readonly file: string };

function banner({ url, demo, model, file }: Started): string {
  const isOffline = model.providerId === "offline";
  const post = "-H 'content-type: application/json' -d";
  return `Troupe is running at ${url} (Ctrl-C to stop)

  agents     ${Object.keys(demo.agents).join(", ")}
  teams      ${Object.keys(demo.teams).join(", ")}
  workflows  ${Object.keys(demo.workflows).join(", ")}
  model      ${isOffline ? offlineNotice : `${model.providerId}/${model.modelId}`}
  sessions   ${file}
  docs       ${url}/docs
  sockets    ${url}/service, for clients of Socket.IO

Try:

  curl -s ${url}/agents/assistant/run ${post} '{"input":"My name is Ada. What is the weather in Oslo, and what is 12 * 7?","sessionId":"ada"}'
  curl -sN ${url}/teams/travel-desk/stream ${post} '{"input":"What is the weather in Tokyo and what time is it there?"}'
  curl -si ${url}/agents/concierge/run ${post} '{"input":"Book a room in Oslo."}'
  curl -s ${url}/sessions/ada/turns

The third one waits for an approval. Give it with the path in its Location header, also after Ctrl-C and another start:

  curl -s ${url}/runs/<id>/answers/t.0.0 ${post} '{"approved":true}'
  curl -sN ${url}/runs/<id>/events`;
}

const offlineNotice =
  "offline (matches patterns, not a language model). Set OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_API_KEY for a real one.";

try {
  await main(process.env);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
