import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, inject, it, onTestFinished } from "vitest";
import { budgets } from "./budgets.ts";

const folder = inject("consumerFolder");

const program = `
  import { Agent } from "@troupe/core";
  import { openai } from "@troupe/providers-openai";
  export async function ask(baseURL) {
    const model = openai("gpt-6.1-sol", { apiKey: "none", baseURL, api: "chat" });
    return (await new Agent({ name: "helper", model }).run("Hello!")).text;
  }`;

type Bundle = { ask(baseURL: string): Promise<string> };

/** Bundles one agent as a platform does that resolves imports by a condition. Returns its file, modules and code. */
async function bundleFor(condition: string) {
  const entry = join(folder, "probes", `one-agent-${condition}.mjs`);
  writeFileSync(entry, program);
  const conditionNames = [condition, "node", "import", "default"];
  const bundle = await rolldown({ input: entry, cwd: folder, platform: "node", resolve: { conditionNames } });
  const file = join(folder, "probes", `one-agent-${condition}.bundle.mjs`);
  const { output } = await bundle.write({ file, minify: true, codeSplitting: false });
  await bundle.close();
  const [{ code, moduleIds }] = output;
  return { file, code, moduleIds };
}

async function serveAnswer(text: string): Promise<string> {
  const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }];
  const server = createServer((_request, response) => response.end(JSON.stringify({ choices })));
  onTestFinished(() => server.close().closeAllConnections());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each(["workerd", "edge-light", "bun"])("a bundle for %s has no undici, and calls the model", async (condition) => {
  const { file, code, moduleIds } = await bundleFor(condition);
  process.stdout.write(`One agent for ${condition}: ${gzipSync(code).length} bytes with gzip\n`);

  expect(moduleIds.filter((id) => id.includes("/node_modules/undici/"))).toEqual([]);
  expect(gzipSync(code).length).toBeLessThanOrEqual(budgets.bundledAgent);

  const bundle = (await import(pathToFileURL(file).href)) as Bundle;
  expect(await bundle.ask(await serveAnswer("Grüße"))).toBe("Grüße");
});

it("a bundle for Node has undici", async () => {
  const { moduleIds } = await bundleFor("node");

  expect(moduleIds.some((id) => id.includes("/node_modules/undici/"))).toBe(true);
});
