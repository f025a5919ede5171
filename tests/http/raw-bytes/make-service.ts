import { once } from "node:events";
import { createPrivateKey } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { a2a } from "@troupe/a2a";
import { createLogger, InMemoryStorage, TroupeError } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { createRouter, createService } from "@troupe/core/service";
import type { Principal, ServiceRequest } from "@troupe/core/service";
import { errorHandler, http } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import { openaiApi } from "@troupe/openai-api";
import { chatStream } from "@troupe/use-chat";
import express from "express";
import { makeRunnables } from "./runnables.ts";

/** A service on loopback whose answers are recorded. */
export type RecordedService = {
  readonly port: number;
  /** Begins the shutdown, which waits for runs. */
  readonly end: () => void;
  readonly close: () => Promise<void>;
};

/** Takes the user that a header names as authenticated. The user "intruder" is refused. */
function authenticate({ headers }: ServiceRequest): Principal | undefined {
  const [userId, tenantId] = [headers.get("x-user"), headers.get("x-tenant")];
  if (userId === "intruder") throw new TroupeError("unauthorized", "Sign in.");
  return userId === null ? undefined : { userId, ...(tenantId !== null && { tenantId }) };
}

/** An Ed25519 key of fixed bytes: the published key set is the same in each recording. */
const signingKey = createPrivateKey({
  key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, 7)]),
  format: "der",
  type: "pkcs8",
});

const requestSources = {
  allowedHosts: ["localhost", "service.example"],
  allowedOrigins: ["https://app.example"],
  logger: createLogger({ level: "silent" }),
};

/** Starts the service with its protocols: HTTP at /, A2A at /a2a and MCP at /mcp. */
export async function makeService(): Promise<RecordedService> {
  const storage = new InMemoryStorage();
  const { durable, ...registries } = makeRunnables(storage);
  const { logger } = requestSources;
  const runs = new RunService({ ...durable, storage, logger, node: "recorder", sealKeys: ["k".repeat(32)] });
  const service = createService({
    ...requestSources,
    ...registries,
    runs,
    authenticate,
    mayAnswer: ({ headers }) => headers.get("x-user") === "manager",
  });
  const protocols = [
    a2a({
      basePath: "/a2a",
      provider: { organization: "Example", url: "https://example.org" },
      extendedCard: (_request, { skills }) => ({ skills, description: "For users." }),
      pushNotifications: { signingKey, lookup: (_name, _options, found) => found(null, "93.184.215.14", 4) },
    }),
    mcp({ instructions: "Ask kindly." }),
    chatStream({ onDisconnect: "continue" }),
    openaiApi({ chat: { approvals: "deny" } }),
    http({
      swagger: { title: "Recorded" },
      fileUpload: { maxFiles: 2, maxFileSize: 100_000, allowedMimeTypes: ["text/plain", "image/*"] },
    }),
  ];
  const server = createServer(express().use(createRouter(service, protocols)).use(errorHandler({ logger })));
  service.attach(server);
  server.listen(0, "127.0.0.1");
  await Promise.all([once(server, "listening"), runs.serve()]);
  const end = async (): Promise<void> => await service.close({ graceMs: 30_000, drainMs: 30_000 });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await end();
    await runs.close();
  };
  return { port: (server.address() as AddressInfo).port, end: () => void end(), close };
}
