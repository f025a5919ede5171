import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage, InformationEvent } from "node:http";
import { Agent, Team, TroupeError, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { post, readFrames } from "../../test/clients.ts";
import { sendRaw } from "../../test/raw.ts";
import { serve } from "../../test/serve-agent.ts";
import type { Service } from "../../test/serve-agent.ts";

const paths = ["/agents/a", "/teams/t", "/workflows/w"] as const;
const refused = new TroupeError("guardrail_blocked", "Not that.");

/** A model that waits until the test lets it answer. */
function waiting(answer: string | { error: Error } = "Hi."): { model: ScriptedModel; goOn: () => void } {
  const gate = Promise.withResolvers<void>();
  const model = new ScriptedModel(answer);
  const { stream, generate } = { stream: model.stream.bind(model), generate: model.generate.bind(model) };
  model.stream = async function* (messages, options) {
    await gate.promise;
    yield* stream(messages, options);
  };
  model.generate = async (messages, options) => {
    await gate.promise;
    return await generate(messages, options);
  };
  return { model, goOn: () => gate.resolve() };
}

async function serveAll(model: ScriptedModel, onNode?: string): Promise<Service> {
  const agent = new Agent({ name: "a", model, retry: { maxRetries: 0 } });
  const team = new Team({ name: "t", mode: "coordinate", model, members: [agent] });
  const workflow = new Workflow({ name: "w", initialState: {}, steps: [{ name: "ask", agent }] });
  return await serve({ agent, teams: { t: team }, workflow, heartbeatMs: 600_000, onNode });
}

const body = '{"input":"Hello?","sessionId":"trip"}';
const ids = { "x-run-id": expect.stringMatching(/^[\da-f-]{36}$/), "x-session-id": "trip" };

function idsOf({ headers }: Response): object {
  return Object.fromEntries(["x-run-id", "x-session-id"].map((name) => [name, headers.get(name)]));
}

describe("the head of a stream", () => {
  it.each(["/agents/a", "/teams/t"])(
    "comes after a second without a chunk, with the ids: %s/stream [http.early-head]",
    async (path) => {
      const { model, goOn } = waiting();
      // Resolves while the model has not said anything.
      const response = await post(await serveAll(model), `${path}/stream`, { body });
      goOn();

      expect(response.status).toBe(200);
      expect(idsOf(response)).toEqual(ids);
      expect((await readFrames(response)).at(-1)?.data.type).toBe("finish");
    },
  );

  it.each(paths)("comes at once where the client asks for it: %s/stream?early=1 [http.early-head]", async (path) => {
    // Fails before its first chunk, and before the head would come by itself.
    const model = new ScriptedModel({ error: refused });
    const response = await post(await serveAll(model), `${path}/stream?early=1`, { body });

    expect(response.status).toBe(200);
    expect(idsOf(response)).toEqual(ids);
    const last = (await readFrames(response)).at(-1)?.data;
    const error = { code: "guardrail_blocked", runId: response.headers.get("x-run-id") };
    expect(last).toMatchObject({ type: "error", error });
  });

  it("waits for the first chunk otherwise, so that what fails has its status [http.early-head]", async () => {
    const service = await serveAll(new ScriptedModel({ error: refused }, { error: refused }));

    expect((await post(service, "/agents/a/stream", { body })).status).toBe(422);
    expect((await post(service, "/agents/a/stream?early=0", { body })).status).toBe(422);
  });

  it("is never sent early for a request that is refused [http.early-head]", async () => {
    const service = await serveAll(new ScriptedModel());
    const ask = async (path: string, sent = body) => (await post(service, path, { body: sent })).status;

    expect(await ask("/agents/a/stream?early=1", "{}")).toBe(400);
    expect(await ask("/agents/none/stream?early=1")).toBe(404);
    expect(await ask("/agents/a/stream?early=1", '{"input":"Hi","messages":[{"role":"system","content":"x"}]}')).toBe(
      400,
    );
  });

  it.each(paths)("takes 0 or 1 as early, and names it otherwise: %s [http.early-head]", async (path) => {
    const service = await serveAll(new ScriptedModel());

    for (const query of ["early", "early=", "early=yes", "early=1&early=1"]) {
      for (const verb of ["run", "stream"]) {
        const response = await post(service, `${path}/${verb}?${query}`, { body });
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({
          error: { code: "invalid_request", message: "early must be 1 or 0, once, such as ?early=1." },
        });
      }
    }
  });
});

describe("the ids of a run", () => {
  it.each(paths)(
    "come in a 103 before the answer of %s/run?early=1, which keeps its status [http.early-hints]",
    async (path) => {
      const { model, goOn } = waiting({ error: refused });
      const { port } = await serveAll(model, "a web-standard answer has no early hints");
      const headers = { "content-type": "application/json" };
      const asked = request({ port, host: "127.0.0.1", path: `${path}/run?early=1`, method: "POST", headers });
      asked.end(body);
      const [hint] = (await once(asked, "information")) as [InformationEvent];
      goOn();
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      answer.resume();

      expect(hint.statusCode).toBe(103);
      expect(hint.headers).toMatchObject(ids);
      expect(hint.headers["link"]).toBe(`</runs/${String(hint.headers["x-run-id"])}/cancel>; rel=related`);
      expect(answer.statusCode).toBe(422);
      expect(answer.headers["x-run-id"]).toBe(hint.headers["x-run-id"]);
    },
  );

  it("harm no client that does not know a 103 [http.early-hints]", async () => {
    const { model, goOn } = waiting();
    const service = await serveAll(model);
    const answer = post(service, "/agents/a/run?early=1", { body });
    goOn();

    expect(await (await answer).json()).toMatchObject({ text: "Hi." });
  });

  it("are not sent before the answer to a client of HTTP/1.0, which has no 103 [http.early-hints]", async () => {
    const service = await serveAll(new ScriptedModel("Hi."));
    const head = `POST /agents/a/run?early=1 HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;

    const answer = await sendRaw(service, `${head}\r\n\r\n`, body);

    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"text":"Hi."');
  });
});
