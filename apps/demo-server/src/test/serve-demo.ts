import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger, InMemoryStorage, InMemoryVectorStore } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { OfflineEmbeddings, OfflineModel } from "@troupe-internal/offline-model";
import { createResearcher } from "../agents.ts";
import type { ResearchAddresses } from "../agents.ts";
import type { Toolkits } from "../choose-toolkits.ts";
import { createDemo } from "../demo.ts";
import { ProjectDocs } from "../project-docs.ts";
import { createDemoServer, createDemoService } from "../server.ts";

/** A demo in this process: its URL, and the function that ends it. */
export type ServedDemo = { readonly url: string; readonly close: () => Promise<void> };

/**
 * Serves the demo in this process, in memory, with an offline model without delays, and with a researcher that uses
 * `addresses`.
 */
export async function serveDemo(addresses: ResearchAddresses, toolkits: Toolkits = {}): Promise<ServedDemo> {
  const storage = new InMemoryStorage();
  const resources = { storage, model: new OfflineModel({ wordMs: 0 }) };
  const logger = createLogger({ level: "silent" });
  const embeddings = new OfflineEmbeddings();
  const docs = new ProjectDocs({ embeddings, vectorStore: new InMemoryVectorStore({ embeddings }), storage, logger });
  const { agents, ...rest } = createDemo(resources, docs.tool, toolkits);
  const researcher = createResearcher(resources, { webSearch: toolkits.webSearch, addresses });
  const demo = { ...rest, agents: { ...agents, researcher } };
  const runs = new RunService({ ...demo, storage, logger });
  const service = createDemoService(demo, { runs, allowedHosts: ["127.0.0.1"] });
  const server = createServer(createDemoServer(demo, service)).listen(0, "127.0.0.1");
  await Promise.all([once(server, "listening"), runs.serve()]);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close().closeAllConnections();
      await runs.close();
      await docs.close();
    },
  };
}
