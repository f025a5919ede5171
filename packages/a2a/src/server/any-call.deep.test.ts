import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import fc from "fast-check";
import { expect, inject, it, onTestFinished } from "vitest";
import { anyBody } from "../../test/any-body.ts";
import { message0, serveA2A } from "../../test/serve-a2a.ts";

const numRuns = { few: 100, many: 20_000 }[inject("trials")];

/** All codes that a call can bring about: those of bodies, and those of tasks. */
const knownCodes: readonly number[] = [
  -32700, -32600, -32601, -32602, -32001, -32002, -32003, -32004, -32005, -32007, -32009,
];

type Answer = { status: number; type: string; text: string };

it("any body is answered as a call or as an error, over HTTP, and the server goes on [a2a.any-call]", async () => {
  const model = new ScriptedModel().respond(() => "Good day.");
  const agent = new Agent({ name: "helper", model });
  const served = await serveA2A({ agents: { helper: agent, a: agent } });
  const connections = new HttpAgent({ keepAlive: true });
  onTestFinished(() => connections.destroy());
  const post = async (body: string | Uint8Array, version: string | undefined): Promise<Answer> =>
    await new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", ...(version !== undefined && { "a2a-version": version }) };
      const sent = httpRequest(served.url, { method: "POST", headers, agent: connections }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("end", () => {
          const { statusCode: status = 0, headers: answered } = response;
          resolve({ status, type: answered["content-type"] ?? "", text: Buffer.concat(pieces).toString() });
        });
      });
      sent.on("error", reject).end(body);
    });
  const property = fc.asyncProperty(anyBody, async ({ body, version, code }) => {
    // A header cannot hold what a line cannot.
    const sendable = version !== undefined && /^[ -~]*$/.test(version) ? version : undefined;
    const { status, type, text } = await post(body, sendable);
    expect(status).toBe(200);
    expect(["application/json", "text/event-stream"]).toContain(type);
    const frames =
      type === "application/json" ? [text] : text.split("\n\n").filter((frame) => frame.startsWith("data: "));
    const answers = frames.map((frame) => JSON.parse(frame.replace(/^data: /, "")) as { error?: { code: number } });
    expect(answers.length).toBeGreaterThan(0);
    expect(
      answers.flatMap(({ error }) => (error === undefined || knownCodes.includes(error.code) ? [] : error)),
    ).toEqual([]);
    const isTold = code !== undefined && sendable === version;
    expect(isTold ? answers[0]?.error?.code : undefined).toBe(isTold ? code : undefined);
  });
  await fc.assert(property, { numRuns });
  expect((await served.call("message/send", message0("Hi"))).result.status.state).toBe("completed");
});
