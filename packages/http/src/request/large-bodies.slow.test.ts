import { once } from "node:events";
import type { MessageContent } from "@troupe/core";
import { describe, expect, it, vi } from "vitest";
import { Latch } from "../../test/latch.ts";
import { head, open, sendRaw } from "../../test/raw.ts";
import { counter, desk, scripted, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";

const megabyte = 1_048_576;
const fileUpload = { maxTotalSize: 4_000_000 };

/** Returns a body with an image of so many characters of base64. */
function withImage(size: number, more: object[] = []): object {
  return { input: [{ type: "image", data: "A".repeat(size), mimeType: "image/png" }, ...more] };
}

/** Returns a body of exactly so many bytes of text, with an image beside it. */
function withText(bytes: number, imageSize: number): object {
  const body = (text: string): object => withImage(imageSize, [{ type: "text", text }]);
  const rest = JSON.stringify(body("x")).length - 1 - imageSize;
  return body("x".repeat(bytes - rest));
}

/** Sends a body without its length. */
function chunked(body: object): RequestInit {
  const bytes = Buffer.from(JSON.stringify(body));
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
  };
  const stream = ReadableStream.from(pieces());
  return { method: "POST", headers: { "content-type": "application/json" }, body: stream, duplex: "half" } as never;
}

describe("a JSON body where fileUpload is on", () => {
  it.each(["run", "stream"])("may have data of parts up to maxTotalSize, on /%s [http.json-size]", async (mode) => {
    const left = watchTemporaryFiles();
    const { agent, model } = scripted("Seen.", "Seen.");
    const service = await serve({ agents: { a: agent }, teams: { t: desk() }, fileUpload });
    const body = withImage(3_900_000);

    expect((await service.post(`/agents/a/${mode}`, body)).status).toBe(200);
    expect((await service.ask(`/agents/a/${mode}`, chunked(body))).status).toBe(200);
    expect((await service.post(`/teams/t/${mode}`, body)).status).toBe(200);

    const received = model.calls.map(({ messages }) => messages.at(-1)?.content as MessageContent);
    expect(received).toHaveLength(2);
    for (const content of received) expect(content).toEqual((body as { input: unknown }).input);
    expect(left()).toEqual({ named: [], open: 0 });
  });

  it("may have 1 MB of text beside the data, and not a byte more [http.json-size]", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload });
    const statusOf = async (body: object) => [
      (await service.post("/agents/a/run", body)).status,
      (await service.ask("/agents/a/run", chunked(body))).status,
    ];

    expect(await statusOf(withText(megabyte, 1_500_000))).toEqual([200, 200]);
    expect(await statusOf(withText(megabyte + 1, 1_500_000))).toEqual([413, 413]);
    expect(await statusOf({ input: "x".repeat(megabyte - 12) })).toEqual([200, 200]);
    expect(await statusOf({ input: "x".repeat(megabyte - 11) })).toEqual([413, 413]);
  });

  it("is refused with the limit and a way out", async () => {
    const left = watchTemporaryFiles();
    const { agent, model } = scripted();
    const service = await serve({ agents: { a: agent }, fileUpload });
    const messageOf = async (init: RequestInit) => {
      const { status, json } = await service.ask("/agents/a/run", init);
      const { code, message } = (json as { error: { code: string; message: string } }).error;
      return [status, code, message];
    };
    const post = (body: object): RequestInit => ({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

    for (const send of [post, chunked]) {
      expect(await messageOf(send(withImage(4_000_000)))).toEqual([
        413,
        "payload_too_large",
        "The body must have at most 4000000 bytes. Send fewer or smaller files.",
      ]);
      expect(await messageOf(send({ input: "x".repeat(2_000_000) }))).toEqual([
        413,
        "payload_too_large",
        "The body must have at most 1048576 bytes beside the data of its content parts. Shorten the text, or send it as a file.",
      ]);
    }
    expect(model.calls).toEqual([]);
    expect(left()).toEqual({ named: [], open: 0 });
  });

  it("counts data elsewhere as text", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload });
    const data = "A".repeat(1_500_000);

    for (const body of [
      { data },
      { input: { data } },
      { input: [{ type: "text", text: data }] },
      { sessionId: data },
    ]) {
      expect((await service.post("/agents/a/run", body)).status).toBe(413);
    }
  });

  it("is checked like any other when it is large", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload });
    const ask = async (body: string | Buffer) =>
      await service.ask("/agents/a/run", { method: "POST", headers: { "content-type": "application/json" }, body });
    const json = JSON.stringify(withImage(2_000_000));

    for (const body of [json.slice(0, -1), json.replace('"A', '"\n'), Buffer.from(json).fill(0xff, 1000, 1010)]) {
      expect(await ask(body)).toMatchObject({ status: 400, json: { error: { code: "invalid_request" } } });
    }
    expect((await ask(json.replace('"mimeType"', '"cache"'))).text).toContain("input[0]");
  });

  it("a JSON body where fileUpload is on of a workflow has no data: its limit stays 1 MB", async () => {
    const service = await serve({ workflows: { w: counter() }, fileUpload });

    expect((await service.post("/workflows/w/run", withImage(2_000_000))).status).toBe(413);
  });

  it("waits for memory that other large bodies hold, and small ones do not wait [http.json-size]", async () => {
    const left = watchTemporaryFiles();
    const latch = new Latch();
    let began = 0;
    const beforeRun = async (): Promise<void> => {
      began += 1;
      await latch.wait();
    };
    const service = await serve({
      agents: { a: talker("Seen.", { hooks: { beforeRun } }), b: talker() },
      fileUpload,
    });
    const ask = async () => (await service.post("/agents/a/run", withImage(2_500_000))).status;

    const first = ask();
    await latch.reached;
    const others = [ask(), ask()];
    for (let count = 0; count < 5; count++)
      expect((await service.post("/agents/b/run", withImage(900_000))).status).toBe(200);
    await vi.waitUntil(() => left().open === 2);
    expect(began).toBe(1);

    latch.open();
    expect([await first, ...(await Promise.all(others)), began]).toEqual([200, 200, 200, 3]);
    expect(left()).toEqual({ named: [], open: 0 });
  });

  it("leaves no file when its client disconnects half way", async () => {
    const left = watchTemporaryFiles();
    const { agent, model } = scripted();
    const service = await serve({ agents: { a: agent }, fileUpload });
    const socket = open(service.port);
    await once(socket, "connect");
    const json = JSON.stringify(withImage(3_000_000));
    socket.write(head("/agents/a/run", "Content-Type: application/json", `Content-Length: ${json.length}`));
    socket.write(json.slice(0, 2_000_000));
    await vi.waitUntil(() => left().open === 1);
    socket.destroy();

    await vi.waitUntil(() => left().open === 0);
    expect([model.calls, service.lines]).toEqual([[], []]);
  });

  it("is read also if the host has called setEncoding, or has read it", async () => {
    const { agent, model } = scripted("Seen.");
    const service = await serve(
      { agents: { a: agent }, fileUpload },
      { before: [(request, _, next) => next(void request.setEncoding("utf8"))] },
    );
    const drained = await serve(
      { agents: { a: talker() }, fileUpload },
      { before: [(request, _, next) => void request.on("end", () => next()).resume()] },
    );

    expect((await service.post("/agents/a/run", withImage(2_000_000))).status).toBe(200);
    expect(model.calls).toHaveLength(1);
    expect((await drained.post("/agents/a/run", withImage(2_000_000))).status).toBe(400);
  });

  it("a JSON body where fileUpload is on that is announced too long is refused before it is sent", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload });

    const answer = await sendRaw(
      service,
      head("/agents/a/run", "Content-Type: application/json", "Content-Length: 4000001"),
    );

    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe("maxBodyBytes", () => {
  it.each([
    ["without fileUpload", {}],
    ["with fileUpload", { fileUpload }],
  ])("limits every JSON body, %s [http.body-limit]", async (_, more) => {
    const service = await serve({ agents: { a: talker() }, maxBodyBytes: 2_000_000, ...more });
    const answerTo = async (body: object) => await service.post("/agents/a/run", body);

    expect((await answerTo(withImage(1_900_000))).status).toBe(200);
    expect((await answerTo({ input: "x".repeat(1_900_000) })).status).toBe(200);
    for (const body of [withImage(2_000_000), { input: "x".repeat(2_000_000) }]) {
      const { status, text } = await answerTo(body);
      expect(status).toBe(413);
      expect(text).toContain("at most 2000000 bytes. The option maxBodyBytes");
    }
  });

  it("is 1 MB by default, also for data where fileUpload is off [http.body-limit]", async () => {
    const service = await serve({ agents: { a: talker() } });
    const size = JSON.stringify(withImage(1)).length - 1;

    expect((await service.post("/agents/a/run", withImage(megabyte - size))).status).toBe(200);
    expect((await service.post("/agents/a/run", withImage(megabyte - size + 1))).status).toBe(413);
  });
});
