import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { createLogger } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { createShutdown } from "@troupe/http";
import { banner } from "./banner.ts";
import { chooseEmbeddings } from "./choose-embeddings.ts";
import { chooseModel } from "./choose-model.ts";
import { chooseToolkits } from "./choose-toolkits.ts";
import { createDemo } from "./demo.ts";
import { listen } from "./listen.ts";
import { describeEngine, openEngine } from "./open-engine.ts";
import { createVectorStore, describeStores, openStorage } from "./open-stores.ts";
import { ProjectDocs } from "./project-docs.ts";
import { readSealKey } from "./seal-key.ts";
import { joinNodes, serveSockets } from "./serve-sockets.ts";
import { createDemoServer } from "./server.ts";
import { readSettings } from "./settings.ts";

/** Room for a key of 16 KB in each of the four key headers, beside the 16 KB that Node allows for all headers. */
const maxHeaderSize = 81_920;

/** Leaves to Socket.IO the connections of its own path. Elsewhere an `Upgrade` is ignored, as HTTP allows. */
const shouldUpgradeCallback = ({ url = "" }: IncomingMessage): boolean => url.startsWith("/socket.io/");

/** Starts the demo server, and resolves when it has ended after a signal. Throws a sentence for what keeps it from starting. */
export async function startServer(variables: NodeJS.ProcessEnv): Promise<void> {
  const settings = readSettings(variables);
  const { allowedHosts, choice, folder, node } = settings;
  const model = await chooseModel(variables);
  const toolkits = await chooseToolkits(variables);
  const storage = await openStorage(settings);
  const nodes = choice.redis && (await joinNodes(choice.redis));
  const logger = createLogger({ level: "warn" });
  const embeddings = chooseEmbeddings(model, variables);
  const docs = new ProjectDocs({ embeddings, vectorStore: createVectorStore(settings, embeddings), storage, logger });
  const demo = createDemo({ model, storage }, docs.tool, toolkits);
  const engine = await openEngine({ choice, storage, logger });
  const sealKeys = [settings.sealKey ?? (await readSealKey(folder))];
  const runs = new RunService({ ...demo, storage, engine, node, sealKeys, logger });
  const shutdown = createShutdown({ graceMs: 5000 });
  const serving = { runs, shutdown, allowedHosts };
  const server = createServer({ maxHeaderSize, shouldUpgradeCallback }, createDemoServer(demo, serving));
  const io = serveSockets(server, demo, { ...serving, nodes });
  shutdown.attach(server);
  const url = await listen(server, settings.address);
  // Once the port is ours: without an engine, a second server on this file would perform the same runs.
  await runs.serve();
  shutdown.onSignals();
  docs.fillInBackground();
  const shownNodes = choice.redis ? `shared through ${choice.redis.shown}` : "this process alone";
  const stores = { ...describeStores(settings), nodes: shownNodes, runs: describeEngine(choice) };
  console.log(banner({ url, node, demo, model, toolkits, stores }));
  await shutdown.finished;
  await io.close();
  await nodes?.close();
  await runs.close();
  await engine?.close();
  await docs.close();
  await storage.close();
}
