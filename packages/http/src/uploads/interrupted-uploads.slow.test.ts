import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { encodeForm, formType } from "../../test/forms.ts";
import type { FormPart } from "../../test/forms.ts";
import { head, open, sendRaw } from "../../test/raw.ts";
import { scripted, talker } from "../../test/runnables.ts";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";
import { serve } from "../../test/serve.ts";

const path = "/agents/a/run";
const text: FormPart = { name: "input", body: "Hi" };
const file: FormPart = { name: "files", filename: "a.bin", type: "application/x", body: "abc" };
const megabyte = Buffer.alloc(1_048_576, "x");

describe("a client of an upload", () => {
  const eight = { ...file, body: Buffer.concat(Array.from({ length: 8 }, () => megabyte)) };

  it.each([
    ["sends too much", 413, encodeForm(text, eight)],
    ["sends a field that is not known, and much behind it", 400, encodeForm({ name: "odd", body: "x" }, eight)],
  ])("gets its answer and no reset if it %s and reads only then", async (_, status, form) => {
    const service = await serve({ agents: { a: talker() }, fileUpload: { maxFileSize: 1000 } });
    const socket = open(service.port);
    const failed = vi.fn<(error: Error) => void>();
    socket.on("error", failed);
    const received: Buffer[] = [];

    // Without Connection: close, so that the answer must end the connection.
    socket.write(head(path, formType, `Content-Length: ${form.length}`).replace("Connection: close\r\n", ""));
    for (let at = 0; at < form.length; at += 65_536) {
      if (!socket.write(form.subarray(at, at + 65_536))) await once(socket, "drain");
    }
    socket.on("data", (piece: Buffer) => received.push(piece));
    await once(socket, "close");

    expect(Buffer.concat(received).toString()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*Connection: close`));
    expect(failed).not.toHaveBeenCalled();
  });

  it("can send another request on its connection after a refusal", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload: true });
    const form = encodeForm({ name: "odd", body: "x" });
    const ask = (body: Buffer, ...more: string[]) =>
      Buffer.concat([
        Buffer.from(
          [`POST ${path} HTTP/1.1`, "Host: test", formType, `Content-Length: ${body.length}`, ...more, "", ""].join(
            "\r\n",
          ),
        ),
        body,
      ]);

    const answers = await sendRaw(service, ask(form), ask(encodeForm(text), "Connection: close"));

    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["400", "200"]);
  });

  it("leaves no named file while it uploads, and no open file when it disconnects", async () => {
    const left = watchTemporaryFiles();
    const { agent, model } = scripted("Never parts.");
    const service = await serve({ agents: { a: agent }, fileUpload: true });
    const form = encodeForm(text, { ...file, body: Buffer.concat([megabyte, megabyte]) });
    const socket = open(service.port);

    socket.write(head(path, formType, `Content-Length: ${form.length}`));
    socket.write(form.subarray(0, -100));
    await vi.waitFor(() => expect(left()).toEqual({ named: [], open: 1 }));
    socket.destroy();

    await vi.waitFor(() => expect(left()).toEqual({ named: [], open: 0 }));
    expect([model.calls, service.lines]).toEqual([[], []]);
  });
});

describe("300 clients that disconnect while they upload", () => {
  it("leave no temporary file and no open descriptor", async () => {
    const left = watchTemporaryFiles();
    const service = await serve({ agents: { a: talker() }, fileUpload: true });
    const form = encodeForm(text, { ...file, body: Buffer.alloc(1_500_000) });
    const leave = async (at: number): Promise<void> => {
      const socket = open(service.port);
      socket.write(head(path, formType, `Content-Length: ${form.length}`));
      await new Promise((resolve) => socket.write(form.subarray(0, at), resolve));
      socket.destroy();
    };

    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => leave(Math.floor((form.length * (index + 0.5)) / 30))),
      );
    }

    await vi.waitFor(() => expect(left()).toEqual({ named: [], open: 0 }), 5000);
    expect((await service.ask("/health")).status).toBe(200);
    expect(service.lines).toEqual([]);
  });
});
