import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { createLogger } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { closeOnSignals } from "@troupe/core/service";
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
import { createDemoServer, createDemoService } from "./server.ts";
import { readSettings } from "./settings.ts";

/**
 * The largest size of a request's headers in bytes: 16 KB for a key in each of the four key headers, plus the 16 KB
 * that Node allows.
 */
const maxHeaderSize = 81_920;

/** Leaves connections on Socket.IO's path to Socket.IO. Elsewhere, an `Upgrade` header is ignored, as HTTP allows. */
const shouldUpgradeCallback = ({ url = "" }: IncomingMessage): boolean => url.startsWith("/socket.io/");

/**
 * Starts the demo server. Resolves when the server has ended after a signal. Throws an error with advice if it cannot
 * start.
 */
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
  const service = createDemoService(demo, { runs, allowedHosts });
  const server = createServer({ maxHeaderSize, shouldUpgradeCallback }, createDemoServer(demo, service));
  // Called before the HTTP server is attached to the service, so that the service tracks the requests of Socket.IO too.
  const io = serveSockets(server, service, nodes);
  service.attach(server);
  const url = await listen(server, settings.address);
  // This process performs runs only once its port is bound: without an engine, a second server that was started on the
  // same file would perform the same runs.
  await runs.serve();
  closeOnSignals(service, { graceMs: 5000 });
  docs.fillInBackground();
  const shownNodes = choice.redis ? `shared through ${choice.redis.shown}` : "this process alone";
  const stores = { ...describeStores(settings), nodes: shownNodes, runs: describeEngine(choice) };
  console.log(banner({ url, node, demo, model, toolkits, stores }));
  await service.closed;
  await io.close();
  await nodes?.close();
  await runs.close();
  await engine?.close();
  await docs.close();
  await storage.close();
}
