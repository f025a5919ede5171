import { createLogger, InMemoryStorage } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import { createPage, page } from "@troupe/page";
import type { PageOptions } from "@troupe/page";
import type { Subject } from "./subject.ts";
import { steadyAgent, visit } from "./visit.ts";

const logger = createLogger({ level: "silent" });

/** Serves the page of a service with durable runs, and returns its document and its answers. */
async function visitPage(options: PageOptions): Promise<string[]> {
  const agents = { helper: steadyAgent() };
  const service = createService({ agents, logger, durable: { storage: new InMemoryStorage() } });
  const asked = [{ path: "/" }, { path: "/assets/icon.svg" }, { path: "/inspector/runs" }, { path: "/s/x" }];
  try {
    return await visit(createRouter(service, [page(options)]), asked);
  } finally {
    await service.close({ graceMs: 0 });
  }
}

/** Subjects of the page. */
export const pageSubjects: readonly Subject[] = [
  { page: "page", type: "PageOptions", observe: visitPage },
  {
    page: "page",
    type: "MountedPageOptions",
    base: { logger },
    observe: async (options: object) => await visit(createPage(options), [{ path: "/" }, { path: "/inspector/runs" }]),
  },
  { page: "page", type: "InspectorOptions", observe: async (inspector: object) => await visitPage({ inspector }) },
  { page: "page", type: "ShareOptions", observe: async (shares: object) => await visitPage({ shares }) },
];
