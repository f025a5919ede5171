import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent, createLogger } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import fc from "fast-check";
import { expect, inject, it, onTestFinished } from "vitest";
import { anyRequest } from "../../test/any-request.ts";
import type { AnyRequest } from "../../test/any-request.ts";
import { noLookup } from "../../test/receiver.ts";
import { problems1 } from "../../test/schemas.ts";
import { message0, serveA2A } from "../../test/serve-a2a.ts";

const numRuns = { few: 400, many: 20_000 }[inject("trials")];

type Answer = { status: number; type: string; text: string };

it("any request is answered, a wrong one by an error of the right status and form, and the server goes on [a2a.any-rest-request]", async () => {
  const model = new ScriptedModel().respond(() => "Good day.");
  const agent = new Agent({ name: "helper", model });
  const logger = createLogger({ level: "silent" });
  const agents = { helper: agent, a: agent, A: agent, tasks: agent };
  const served = await serveA2A({ agents, logger, pushNotifications: { lookup: noLookup }, extendedCard: () => ({}) });
  const connections = new HttpAgent({ keepAlive: true });
  onTestFinished(() => connections.destroy());
  const send = async ({ method, path, headers, body }: AnyRequest): Promise<Answer> =>
    await new Promise((resolve, reject) => {
      // By hand: a URL would be normalized.
      const { hostname, port } = new URL(served.url);
      const options = { hostname, port, path: `/rest/${path}`, method, headers, agent: connections };
      const sent = httpRequest(options, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("end", () => {
          const { statusCode = 0, headers: answered } = response;
          resolve({ status: statusCode, type: answered["content-type"] ?? "", text: Buffer.concat(pieces).toString() });
        });
      });
      sent.on("error", reject).end(body);
    });
  const property = fc.asyncProperty(anyRequest, async (request) => {
    const { status, type, text } = await send(request);
    expect(status).toBe(request.status ?? status);
    expect(status).toBeLessThan(500);
    const { error } = status === 200 ? { error: undefined } : (JSON.parse(text) as { error: { code: number } });
    expect(error === undefined ? [] : problems1("RestError", { error })).toEqual([]);
    expect(error?.code ?? 200).toBe(status);
    expect(type).toBe(request.path.includes(":stream") && status === 200 ? "text/event-stream" : "application/json");
  });
  await fc.assert(property, { numRuns });
  expect((await served.call("message/send", message0("Hi"))).result.status.state).toBe("completed");
});
