// Measures uploads of 30 MB as JSON and of 45 MB as forms, and the pages of a session with ten of them: the longest time that the event loop stood still,
// and the memory. Prints a line of JSON for each step. Run it with `node --conditions=@troupe/source`, and `sqlite` for a
// database in place of memory.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fork } from "node:child_process";
import { Agent, InMemoryStorage } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import { openai } from "@troupe/providers-openai";
import { SqliteStorage } from "@troupe/storage-sqlite";
import express from "express";

const size = 45 * 1_048_576;
const answer = {
  id: "r",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Seen." } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** A body of a run with a file of 30 MB as JSON. */
function jsonBody(): string {
  const part = { type: "file", data: Buffer.alloc(30 * 1_048_576, 7).toString("base64"), mimeType: "application/pdf" };
  return JSON.stringify({ input: [{ type: "text", text: "What is it?" }, part], sessionId: "j" });
}

/** Measures the longest time that the event loop stood still, by the clock and by the processor time of its thread. */
class Watch {
  #longestCpu = 0;
  #isOn = true;
  #peak = 0;
  readonly #delay = monitorEventLoopDelay({ resolution: 5 });
  readonly #before = process.memoryUsage.rss();

  constructor() {
    this.#delay.enable();
    let last = process.threadCpuUsage();
    const turn = (): void => {
      const { user, system } = process.threadCpuUsage(last);
      last = process.threadCpuUsage();
      this.#longestCpu = Math.max(this.#longestCpu, user + system);
      this.#peak = Math.max(this.#peak, process.memoryUsage.rss());
      if (this.#isOn) setTimeout(turn, 1);
    };
    setTimeout(turn, 1);
  }

  tell(name: string): void {
    this.#isOn = false;
    this.#delay.disable();
    const [clockMs, cpuMs] = [this.#delay.max / 1e6, this.#longestCpu / 1000].map(Math.round);
    const [peakMb, moreMb] = [this.#peak, this.#peak - this.#before].map((bytes) => Math.round(bytes / 1e6));
    process.stdout.write(`${JSON.stringify({ name, cpuMs, clockMs, peakMb, moreMb })}\n`);
  }
}

if (process.argv[2] === "vendor") {
  const server = createServer((request, response) => {
    request
      .resume()
      .on("end", () => response.setHeader("content-type", "application/json").end(JSON.stringify(answer)));
  }).listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
} else if (process.argv[2] === "json-client") {
  const [, , , url = ""] = process.argv;
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${url}/agents/a/run`, { method: "POST", headers, body: jsonBody() });
  if (reply.status !== 200) process.send?.(await reply.text());
  process.send?.("done");
} else if (process.argv[2] === "client") {
  const [, , , url = "", count = "1"] = process.argv;
  for (let index = 0; index < Number(count); index++) {
    const form = new FormData();
    form.append("input", "What is it?");
    form.append("sessionId", "s");
    form.append("files", new File([Buffer.alloc(size, index + 1)], "a.pdf", { type: "application/pdf" }));
    const reply = await fetch(`${url}/agents/a/run`, { method: "POST", body: form });
    if (reply.status !== 200) process.send?.(await reply.text());
    await reply.text().catch(() => "");
  }
  process.send?.("done");
} else {
  const child = fork(import.meta.filename, ["vendor"]);
  const [vendorPort] = (await once(child, "message")) as [number];
  const model = openai("gpt-5", { apiKey: "k", baseURL: `http://127.0.0.1:${vendorPort}/v1` });
  const storage = process.argv[2] === "sqlite" ? new SqliteStorage(":memory:") : new InMemoryStorage();
  const agent = new Agent({ name: "a", model, storage, addHistoryToMessages: false });
  const server = createServer(express().use(createAgentRouter({ agents: { a: agent }, fileUpload: true }))).listen(0);
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const name of ["first upload as JSON", "second upload as JSON"]) {
    const watch = new Watch();
    const client = fork(import.meta.filename, ["json-client", url]);
    client.on("message", (text) => text === "done" || process.stderr.write(`client: ${JSON.stringify(text)}\n`));
    await once(client, "exit");
    watch.tell(name);
  }
  const bytes = Buffer.from(jsonBody());
  const ofParsing = new Watch();
  await sleep(20);
  JSON.parse(bytes.toString("utf8"));
  await sleep(20);
  ofParsing.tell("JSON.parse alone");
  for (const [name, count] of [
    ["first upload", "1"],
    ["second upload", "1"],
    ["eight more uploads", "8"],
  ] as const) {
    const watch = new Watch();
    const client = fork(import.meta.filename, ["client", url, count]);
    client.on("message", (text) => text === "done" || process.stderr.write(`client: ${JSON.stringify(text)}\n`));
    await once(client, "exit");
    watch.tell(name);
  }
  for (const query of ["", "?parts=inline", "/1/parts/0"]) {
    const watch = new Watch();
    const { length } = await (await fetch(`${url}/sessions/s/turns${query}`)).text();
    watch.tell(`GET turns${query} of ${length} characters`);
  }
  child.kill();
  server.closeAllConnections();
  server.close();
}
