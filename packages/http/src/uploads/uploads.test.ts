import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { toForm } from "../../test/forms.ts";
import { counter, desk, scripted, talker } from "../../test/runnables.ts";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";
import { serve } from "../../test/serve.ts";

const png = new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47)], "a.png", { type: "image/png" });
const wav = new File(["RIFF"], "b.wav", { type: "audio/wav" });
const pdf = new File(["%PDF-1.7"], "c.pdf", { type: "application/pdf" });
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const sized = (bytes: number, name = "big.bin"): File => new File([Buffer.alloc(bytes, "x")], name);

/** Uploads a form to an agent, and returns the answer and the input of its model. */
async function upload(fileUpload: Parameters<typeof serve>[0]["fileUpload"], form: FormData, mode = "run") {
  const { agent, model } = scripted("Seen.");
  const service = await serve({ agents: { a: agent }, ...(fileUpload !== undefined && { fileUpload }) });
  const answer = await service.ask(`/agents/a/${mode}`, { method: "POST", body: form });
  return { ...answer, service, received: model.calls[0]?.messages.at(-1)?.content };
}

describe("a form", () => {
  it.each(["run", "stream"])("[http.upload-fields] becomes the input of /%s: its text and files", async (mode) => {
    const { status, received } = await upload(true, toForm({ input: "What is this?" }, png, wav, pdf), mode);

    expect(status).toBe(200);
    expect(received).toEqual([
      { type: "text", text: "What is this?" },
      { type: "image", data: "iVBORw==", mimeType: "image/png" },
      { type: "audio", data: base64("RIFF"), mimeType: "audio/wav" },
      { type: "file", data: base64("%PDF-1.7"), mimeType: "application/pdf", filename: "c.pdf" },
    ]);
  });

  it.each([undefined, false])("[http.upload-switch] is refused when fileUpload is %s", async (fileUpload) => {
    const { status, json, received } = await upload(fileUpload, toForm({ input: "Hi" }, png));

    expect([status, json]).toMatchObject([415, { error: { code: "unsupported_media_type" } }]);
    expect(received).toBeUndefined();
  });

  it("[http.upload-switch] is read when fileUpload has limits, and JSON is still read", async () => {
    const service = await serve({ agents: { a: talker() }, fileUpload: { maxFiles: 1 } });

    expect((await service.ask("/agents/a/run", { method: "POST", body: toForm({ input: "Hi" }) })).status).toBe(200);
    expect((await service.post("/agents/a/run", { input: "Hi" })).status).toBe(200);
  });

  it("may have several files of the same name and content, each a part of its own", async () => {
    const { status, received } = await upload(true, toForm({ input: "Hi" }, pdf, pdf, new File(["other"], "c.pdf")));

    expect(status).toBe(200);
    const files = (received as { filename?: string; data?: string }[]).slice(1);
    expect(files.map(({ filename }) => filename)).toEqual(["c.pdf", "c.pdf", "c.pdf"]);
    expect(files.map(({ data }) => data)).toEqual([base64("%PDF-1.7"), base64("%PDF-1.7"), base64("other")]);
  });

  it("becomes a string when it has no files", async () => {
    expect((await upload(true, toForm({ input: "Hi" }))).received).toBe("Hi");
  });

  it("needs no text when it has files, and becomes no empty part", async () => {
    const picture = { type: "image", data: "iVBORw==", mimeType: "image/png" };

    expect((await upload(true, toForm({}, png))).received).toEqual([picture]);
    expect((await upload(true, toForm({ input: " " }, png))).received).toEqual([picture]);
  });

  it("becomes its text when a browser sent an empty file", async () => {
    for (const fileUpload of [true, { allowedMimeTypes: ["image/*"] }]) {
      expect((await upload(fileUpload, toForm({ input: "Hi" }, new File([], "")))).received).toBe("Hi");
    }
  });

  it("is read for teams", async () => {
    const service = await serve({ teams: { desk: desk() }, fileUpload: true });

    for (const mode of ["run", "stream"]) {
      const answer = await service.ask(`/teams/desk/${mode}`, { method: "POST", body: toForm({ input: "Hi" }, png) });
      expect(answer.status).toBe(200);
    }
  });

  it("is refused for workflows", async () => {
    const service = await serve({ workflows: { counter: counter() }, fileUpload: true });
    const answer = await service.ask("/workflows/counter/run", { method: "POST", body: toForm({ input: "Hi" }) });

    expect(answer.status).toBe(415);
  });

  it("may have the fields sessionId, userId and apiKey", async () => {
    const model = new ScriptedModel("Seen.");
    const service = await serve({ agents: { a: new Agent({ name: "a", model }) }, fileUpload: true });
    const fields = { input: "Hi", sessionId: "s1", userId: "ada", apiKey: "sk-of-form" };

    const { headers } = await service.ask("/agents/a/run", { method: "POST", body: toForm(fields, png) });

    expect(headers.get("x-session-id")).toBe("s1");
    expect(model.calls[0]?.options).toMatchObject({ apiKey: "sk-of-form" });
    expect((await service.ask("/sessions/s1")).status).toBe(404);
  });

  it("belongs to the principal, and is forbidden if it names another user", async () => {
    const service = await serve(
      { agents: { a: talker() }, fileUpload: true },
      { before: [(request, _, next) => next(void Object.assign(request, { principal: { userId: "ada" } }))] },
    );
    const ask = (userId: string) =>
      service.ask("/agents/a/run", { method: "POST", body: toForm({ input: "Hi", userId }, png) });

    expect((await ask("eve")).json).toMatchObject({ error: { code: "forbidden" } });
    expect((await ask("ada")).status).toBe(200);
  });
});

describe("a form that is refused before anything runs", () => {
  const refused: [string, Parameters<typeof serve>[0]["fileUpload"], FormData, number, string, ...string[]][] = [
    ["an unknown field alone", true, toForm({ note: "" }), 400, "invalid_request", '"note"'],
    ["neither text nor files", true, toForm({ input: "" }), 400, "invalid_request", "input"],
    ["an unknown field", true, toForm({ input: "x", model: "m" }), 400, "invalid_request", '"model"'],
    ["a field called __proto__", true, toForm({ ["__proto__" as string]: "x" }), 400, "invalid_request"],
    ["a file as its input", true, fileIn("input"), 400, "invalid_request", '"input"', "files"],
    ["a text as its files", true, textIn("files"), 400, "invalid_request", "files"],
    ["two inputs", true, textIn("input", "input"), 400, "invalid_request", '"input"', "once"],
    ["an empty file", true, toForm({ input: "x" }, sized(0)), 400, "invalid_request", '"big.bin"', "empty"],
    ["a malformed session id", true, toForm({ input: "x", sessionId: "a/b" }), 400, "invalid_request", "sessionId"],
    ["a malformed key", true, toForm({ input: "x", apiKey: "a b" }), 400, "invalid_request", "apiKey"],
    [
      "a field that is too long",
      { maxFieldSize: 9 },
      toForm({ input: "x".repeat(10) }),
      413,
      "payload_too_large",
      "input",
      "9",
    ],
    [
      "a file that is too large",
      { maxFileSize: 9 },
      toForm({}, sized(10)),
      413,
      "payload_too_large",
      '"big.bin"',
      "files",
      "9",
    ],
    ["too many files", { maxFiles: 1 }, toForm({}, png, wav), 413, "payload_too_large", "files", "1"],
    [
      "files that are too large together",
      { maxTotalSize: 19 },
      toForm({}, sized(10), sized(10)),
      413,
      "payload_too_large",
      "files",
      "19",
    ],
    [
      "a file of another type",
      { allowedMimeTypes: ["image/*", "application/pdf"] },
      toForm({}, wav),
      415,
      "unsupported_media_type",
      '"b.wav"',
      "audio/wav",
      "image/*",
    ],
  ];

  it.each(refused)("has %s", async (_, ...[fileUpload, form, status, code, ...named]) => {
    const left = watchTemporaryFiles();
    const answer = await upload(fileUpload, form);

    expect([answer.status, answer.json]).toMatchObject([status, { error: { code } }]);
    for (const name of named) expect(answer.text).toContain(name.replaceAll('"', '\\"'));
    expect(answer.received).toBeUndefined();
    expect(answer.service.lines).toEqual([]);
    expect(left()).toEqual({ named: [], open: 0 });
  });

  function fileIn(name: string): FormData {
    const form = new FormData();
    form.append(name, png);
    return form;
  }

  function textIn(...names: string[]): FormData {
    const form = new FormData();
    for (const name of names) form.append(name, "x");
    return form;
  }
});

describe("the limits of an upload", () => {
  it("[http.upload-max-files] allow 10 files per upload by default", async () => {
    const files = Array.from({ length: 11 }, (_, index) => sized(1 + index, `${index}.bin`));

    expect(await upload(true, toForm({}, ...files))).toMatchObject({ status: 413, received: undefined });
    const { received } = await upload(true, toForm({}, ...files.slice(1)));
    expect(received).toMatchObject(files.slice(1).map(({ name }) => ({ filename: name })));
  });

  it("are exact", async () => {
    const rules = { maxFileSize: 9, maxTotalSize: 18, maxFiles: 2, maxFieldSize: 9 };

    expect((await upload(rules, toForm({ input: "x".repeat(9) }, sized(9), sized(9)))).status).toBe(200);
  });

  it("[http.upload-mime-types] allow any type by default, and compare types without case", async () => {
    const odd = new File(["x"], "x", { type: "application/x-odd; v=1" });

    expect((await upload(true, toForm({}, odd))).received).toMatchObject([{ mimeType: "application/x-odd" }]);
    expect((await upload({ allowedMimeTypes: ["APPLICATION/X-ODD"] }, toForm({}, odd))).status).toBe(200);
    expect((await upload({ allowedMimeTypes: ["image/*"] }, toForm({}, png))).status).toBe(200);
    expect((await upload({ allowedMimeTypes: ["image/jpeg"] }, toForm({}, png))).status).toBe(415);
  });
});

describe("data in the content parts of a JSON body", () => {
  const data = (bytes: number) => Buffer.alloc(bytes, "x").toString("base64");
  const pdfData = base64("%PDF-1.7 and more");

  it.each<[string, object, number, string]>([
    ["is as large as a file may be", { type: "file", mimeType: "image/x", data: data(31) }, 200, ""],
    ["is as large in a data: URL", { type: "image", data: `data:image/png;base64,${data(31)}` }, 200, ""],
    ["is larger than a file may be", { type: "file", mimeType: "image/x", data: data(32) }, 413, "input[0].data"],
    ["is larger in a data: URL", { type: "image", data: `data:image/png;base64,${data(32)}` }, 413, "31"],
    ["has another type", { type: "file", mimeType: "text/plain; x=1", data: data(9) }, 415, "text/plain"],
    ["has another type in a data: URL", { type: "image", data: `data:text/x;base64,${data(9)}` }, 415, "text/x"],
    ["has another type by its first bytes", { type: "image", data: pdfData }, 415, "application/pdf"],
    ["has an allowed type by its first bytes", { type: "image", data: "iVBORw0KGgoAAA==" }, 200, ""],
  ])("obeys the limits of uploads when it %s [http.json-data-limits]", async (...[, part, status, told]) => {
    const fileUpload = { maxFileSize: 31, allowedMimeTypes: ["image/*"] };
    const { agent, model } = scripted("Seen.", "Seen.");
    const service = await serve({ agents: { a: agent }, fileUpload });

    const answer = await service.post("/agents/a/run", { input: [part] });
    const message = { role: "user", content: [part] };
    const before = await service.post("/agents/a/run", { input: "Hi", messages: [message] });

    expect([answer.status, before.status]).toEqual([status, status]);
    expect(answer.text).toContain(told);
    expect(model.calls).toHaveLength(status === 200 ? 2 : 0);
  });
});

describe("a form that a middleware of the host has read before the router", () => {
  it("is a fault of the service that tells how to mend it [http.form-read-before]", async () => {
    const { agent, model } = scripted("Never parts.");
    const service = await serve(
      { agents: { a: agent }, fileUpload: true },
      {
        before: [(request, _, next) => void request.resume().once("end", () => next())],
        onNode: "a middleware of Express has read the body",
      },
    );

    const { status, json } = await service.ask("/agents/a/run", { method: "POST", body: toForm({ input: "Hi" }, png) });

    expect([status, json]).toMatchObject([500, { error: { code: "invalid_config" } }]);
    expect(JSON.stringify([json, service.lines])).toContain("Mount the router before it");
    expect(model.calls).toEqual([]);
  });
});

describe("large files", () => {
  it("reach the model whole and in order, and leave no temporary file", async () => {
    const left = watchTemporaryFiles();
    const sizes = [3_000_001, 10, 2_000_000, 20];
    const files = sizes.map((size, index) => new File([Buffer.alloc(size, index + 1)], `${index}`));

    const { received } = await upload(true, toForm({}, ...files));

    const lengths = (received as { data: string }[]).map(({ data }) => Buffer.from(data, "base64"));
    expect(lengths.map((bytes) => bytes.length)).toEqual(sizes);
    expect(lengths.every((bytes, index) => bytes.every((byte) => byte === index + 1))).toBe(true);
    expect(left()).toEqual({ named: [], open: 0 });
  });
});
