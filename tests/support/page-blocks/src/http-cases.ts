import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { InMemoryStorage, Workflow } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { Case } from "./case.ts";
import { readBlocks } from "./blocks.ts";
import { inFolder, runCommands } from "./run-text.ts";
import { answer, post } from "./service.ts";

/** A picture with one pixel. */
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Wait = { id: string; kind: string };
type Notice = { type: string; timestamp: string; data: { waits: Wait[] } };

/** The requests, bodies and commands that the pages show. */
export const httpCases: readonly Case[] = [
  {
    page: "README.md",
    begins: "npm install @troupe/core",
    run: async (page) => {
      await Promise.resolve();
      // The program itself is run by the tests of the READMEs.
      const program = readBlocks("README.md").find(({ file }) => file === "examples/serve-everything.ts")?.text ?? "";
      const imported = [...program.matchAll(/ from "((?:@[^/"]+\/)?[^/"]+)/g)].map(([, name = ""]) => name);
      const [install = "", start] = page.trimEnd().split("\n");
      expect(new Set(install.split(" ").slice(2))).toEqual(new Set(imported));
      expect(start).toMatch(/^OPENAI_API_KEY=\S+ PORT=\d+ node \S+\.ts$/);
    },
  },
  {
    page: "docs/guide/approvals.md",
    begins: "# 202 {",
    run: async (page, { url, callsOf }) => {
      const [asked = "", answered = ""] = await runCommands(page, { URL: url });
      const [, promised = ""] = /"waits":\[(\{"waitId":"t\.0\.0","kind":"approval")/.exec(page) ?? [];
      expect(asked).toContain(promised);
      expect(answered).toBe("");
      await expect.poll(() => callsOf("concierge")).toBe(2);
    },
  },
  {
    page: "docs/guide/serve-durable-runs.md",
    begins: "URL=http://127.0.0.1:3000",
    run: async (page, { url }) => {
      const local = page.replace("http://127.0.0.1:3000", url);
      // The page continues a run in the middle of its events.
      const [, stream = ""] = await runCommands(local);
      const [, position = ""] = /^id: (\S+)$/m.exec(stream) ?? [];
      const [begun = "", streamed, events, cancelled] = await runCommands(local.replace("4.17", position));
      expect(begun).toMatch(/^HTTP\/1\.1 202 [\s\S]*^location: /im);
      expect(streamed).toContain(answer);
      expect(events).toContain('"finish"');
      expect(cancelled).not.toContain("not_found");
    },
  },
  {
    page: "docs/guide/serving.md",
    begins: '{ "error":',
    run: async (page, { url }) => {
      const { error } = JSON.parse(page) as { error: Record<string, string> };
      const response = await post(`${url}/agents/helper/run`, { input: "Hello", foo: 1 });
      const sent = (await response.json()) as { error: Record<string, string> };
      expect(Object.keys(sent.error)).toEqual(Object.keys(error));
      expect(sent.error["code"]).toBe(error["code"]);
      expect(sent.error["message"]).toContain(error["message"]?.replace(" …", ""));
    },
  },
  {
    page: "docs/guide/uploads.md",
    begins: "{",
    run: async (page, { url }) => {
      const body = JSON.parse(page.replace("iVBORw0KGgo…", picture)) as unknown;
      expect(await (await post(`${url}/agents/helper/run`, body)).json()).toMatchObject({ text: answer });
    },
  },
  {
    page: "docs/guide/webhooks.md",
    begins: "{",
    run: async (page) => {
      const example = JSON.parse(page) as Notice;
      const sent = await noticeOfWait();
      expect(Object.keys(sent)).toEqual(Object.keys(example));
      expect(sent.type).toBe(example.type);
      expect(Object.keys(sent.data).toSorted()).toEqual(Object.keys(example.data).toSorted());
    },
  },
  {
    page: "docs/guide/generate-clients.md",
    begins: "curl -o spec.json",
    run: async (page, { url }) => {
      await inFolder(async (folder) => {
        const [command = ""] = page.replace("http://localhost:3000", url).split("\n");
        await runCommands(`cd ${folder} && ${command} 2>&1`);
        expect(JSON.parse(await readFile(join(folder, "spec.json"), "utf8"))).toHaveProperty("paths");
      });
    },
  },
  {
    page: "docs/guide/generate-clients.md",
    begins: "jq ",
    run: async (page) => {
      await inFolder(async (folder) => {
        const content = { "multipart/form-data": 1, "application/json": 2 };
        await writeFile(join(folder, "spec.json"), JSON.stringify({ paths: { content } }));
        await runCommands(`cd ${folder} && ${page}`);
        const forms = JSON.parse(await readFile(join(folder, "forms.json"), "utf8")) as unknown;
        expect(forms).toEqual({ paths: { content: { "multipart/form-data": 1 } } });
      });
    },
  },
];

/** Receives what a webhook is told about a workflow that asks a question. */
async function noticeOfWait(): Promise<Notice> {
  const received = Promise.withResolvers<string>();
  const receiver = createServer((request, response) => {
    response.writeHead(204).end();
    received.resolve(text(request));
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const secrets = [`whsec_${Buffer.alloc(32).toString("base64")}`];
  const booking = new Workflow({
    name: "booking",
    initialState: {},
    steps: (flow) => flow.ask({ name: "age", ask: () => "How old are you?" }),
  });
  const service = createService({
    workflows: { booking },
    storage: new InMemoryStorage(),
    durable: true,
    webhooks: { targets: [{ url: `http://${host}/hooks`, secrets }], allowPrivateHosts: [host] },
  });
  try {
    await service.begin({ workflow: "booking", sessionId: "trip" });
    return JSON.parse(await received.promise) as Notice;
  } finally {
    await service.close({ graceMs: 0 });
    receiver.close();
  }
}
