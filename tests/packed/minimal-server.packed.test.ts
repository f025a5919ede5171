import { dirname, join } from "node:path";
import { beforeAll, expect, inject, it } from "vitest";
import { bytesBelow, installTarballs } from "../../tools/packages/install-tarballs.ts";
import { mustRun } from "../../tools/packages/run-command.ts";
import { budgets } from "./budgets.ts";
import { readLockfile } from "./read-lockfile.ts";

const folder = join(dirname(inject("consumerFolder")), "minimal-server");
const ours = ["@troupe/core", "@troupe/http", "@troupe/providers-openai"];

const program = `
  import { Agent } from "@troupe/core";
  import { createAgentRouter } from "@troupe/http";
  import { openai } from "@troupe/providers-openai";
  import express from "express";
  import { once } from "node:events";

  const agents = { helper: new Agent({ name: "helper", model: openai("gpt-6.1-sol", { apiKey: "none" }) }) };
  const server = express().use(createAgentRouter({ agents })).listen(0);
  await once(server, "listening");
  console.log((await fetch("http://127.0.0.1:" + server.address().port + "/health")).status);
  server.closeAllConnections();
  server.close();
`;

beforeAll(async () => {
  const tarballs = inject("packed").filter(({ name }) => ours.includes(name));
  await installTarballs(folder, [...tarballs.map(({ tarball }) => tarball), "express@5"]);
}, 240_000);

it("a server with one provider keeps to its number of packages and its size", async () => {
  expect(readLockfile(folder).length).toBeLessThanOrEqual(budgets.minimalServer.packages);
  expect(await bytesBelow(join(folder, "node_modules"))).toBeLessThanOrEqual(budgets.minimalServer.bytes);
});

it("a server in JavaScript needs no types and no vendor's library", async () => {
  expect(await mustRun(process.execPath, ["--input-type=module", "-e", program], { cwd: folder })).toBe("200\n");
});
