import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestChild } from "@troupe-internal/fault-tools";
import OpenAI from "openai";
import { expect, it, onTestFinished, vi } from "vitest";

/** Starts the service and returns a client of the official library. */
async function start(args: string[]): Promise<{ child: TestChild; client: OpenAI }> {
  const child = await TestChild.start(new URL("./durable-service.ts", import.meta.url), { args });
  onTestFinished(async () => void (await child.kill()));
  const { url } = await child.next((message): message is { url: string } => "url" in (message as object));
  return { child, client: new OpenAI({ apiKey: "x", baseURL: `${url}/v1`, maxRetries: 0 }) };
}

it("a response in the background survives kill -9: it ends as completed, its tool ran once, and its events go on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const calls = join(folder, "calls");
  const args = [join(folder, "runs.sqlite"), calls];
  const first = await start(args);
  const { id } = await first.client.responses.create({ model: "helper", input: "Hi", background: true });
  let seen = -1;
  for await (const event of await first.client.responses.retrieve(id, { stream: true })) {
    seen = event.sequence_number;
    if (event.type === "response.output_text.delta") break;
  }
  await first.child.kill();

  const { child, client } = await start(args);
  child.send({ goOn: true });
  const { text } = await vi.waitFor(
    async () => {
      const { status, output_text: found } = await client.responses.retrieve(id);
      expect(status).toBe("completed");
      return { text: found };
    },
    { interval: 50, timeout: 60_000 },
  );
  expect(text).toBe("It rains.");
  expect(readFileSync(calls, "utf8")).toBe("called\n");
  const rest: { type: string; sequence_number: number }[] = [];
  for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: seen }))
    rest.push(event);
  expect(rest.map(({ sequence_number: number }) => number)).toEqual(rest.map((_, index) => seen + 1 + index));
  expect(rest.at(-1)?.type).toBe("response.completed");
});
