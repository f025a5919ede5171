import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Probe } from "./probe.ts";
import { failingInput, vendorSecret } from "./watched-vendor.ts";

const bob = { "x-test-user": "bob" };

/** Bodies: JSON, of other characters, wrong, of another type, too large. */
export async function checkBodies(probe: Probe): Promise<void> {
  const run = await probe.post("/agents/a/run", { input: "Grüße 👋 日本" });
  probe.expect(run.status === 200 && run.text.includes("word word word"), `run: ${run.status} ${run.text}`);
  probe.expect(
    probe.vendor.last.body.includes("Grüße 👋 日本"),
    "a body that is not ASCII reaches the model otherwise",
  );
  const stream = await probe.post("/agents/a/stream", { input: "Hi" });
  const type = stream.headers.get("content-type");
  probe.expect(type?.startsWith("text/event-stream") === true, `stream: the type ${type}`);
  probe.expect(stream.text.includes('"type":"finish"'), `stream: no end in ${stream.text.slice(-200)}`);
  probe.expectError(await probe.post("/agents/a/run", "{"), 400, "broken JSON");
  probe.expectError(await probe.post("/agents/a/run", { input: 7 }), 400, "a wrong input");
  probe.expectError(await probe.post("/agents/a/run", ""), 400, "an empty body");
  probe.expectError(await probe.post("/agents/a/run", "x", { "content-type": "text/plain" }), 415, "a text");
  probe.expectError(
    await probe.post("/agents/a/run", "x=1", { "content-type": "application/x-www-form-urlencoded" }),
    415,
    "a form of fields",
  );
  probe.expectError(await probe.post("/agents/nobody/run", { input: "Hi" }), 404, "an unknown agent");
  probe.expectError(await probe.ask("/agents/a/run", { method: "PATCH" }), 405, "another method");
  probe.expect((await probe.ask("/health")).status === 200, "health");
}

/** A body above the limit, on a connection of its own: some servers close it behind the answer without saying so. */
export async function checkTooLarge(probe: Probe): Promise<void> {
  const headers = { "x-test-user": "ada", "content-type": "application/json" };
  const asked = request(`${probe.url}/agents/a/run`, { method: "POST", headers, agent: false });
  // The rest of the body may find no reader.
  asked.on("error", () => undefined).end(JSON.stringify({ input: "x".repeat(2_000_000) }));
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  const text = (await answer.setEncoding("utf8").toArray()).join("");
  probe.expectError({ status: answer.statusCode ?? 0, headers: new Headers(), text }, 413, "a body of 2 MB");
}

/** The key of a request reaches the vendor, and nothing else. */
export async function checkKeys(probe: Probe): Promise<void> {
  const key = "sk-of-a-client-7f3a";
  const answers = [
    await probe.post("/agents/a/run", { input: "Hi", sessionId: "keys" }, { "x-openai-api-key": key }),
    await probe.ask("/sessions/keys/turns"),
    await probe.post("/agents/a/run", { input: failingInput }, { "x-openai-api-key": key }),
  ];
  const { headers, body } = probe.vendor.last;
  probe.expect(headers.authorization === `Bearer ${key}`, "the key of a request does not reach the vendor");
  const { authorization: _, ...others } = headers;
  probe.expect(!JSON.stringify([others, body]).includes(key), "the key of a request reaches the vendor twice");
  probe.expect(!answers.some(({ text }) => text.includes(key)), "an answer has the key of a request");
  await probe.post("/agents/a/run", { input: "Hi" });
  probe.expect(
    probe.vendor.last.headers.authorization === "Bearer sk-of-the-server",
    "the key stays for the next request",
  );
}

/** Users: one who is not signed in, and one who asks for what another owns. */
export async function checkPrincipals(probe: Probe): Promise<void> {
  probe.expectError(await probe.ask("/agents", { headers: { "x-test-user": "" } }), 401, "nobody");
  const begun = await probe.post(`/agents/${probe.keepsRuns ? "d" : "a"}/run`, {
    input: "I am Ada.",
    sessionId: "adas",
  });
  const runId = begun.headers.get("x-run-id") ?? "";
  probe.expect(begun.status === 200 && runId !== "", `a run of Ada: ${begun.status} ${begun.text.slice(0, 150)}`);
  for (const [method, path] of [
    ["GET", "/sessions/adas"],
    ["GET", "/sessions/adas/turns"],
    ["DELETE", "/sessions/adas"],
    ["GET", `/runs/${runId}`],
    ["GET", `/runs/${runId}/events`],
    ["POST", `/runs/${runId}/cancel`],
  ] as const) {
    if (!probe.keepsRuns && path.startsWith("/runs")) continue;
    const own = method === "GET" ? (await probe.ask(path)).status : 200;
    probe.expect(own === 200, `${method} ${path}: ${own} for its owner`);
    probe.expectError(await probe.ask(path, { method, headers: bob }), 404, `${method} ${path} of another user`);
  }
  // The id of a session is free for each user.
  await probe.post("/agents/a/run", { input: "Who am I?", sessionId: "adas" }, bob);
  probe.expect(!probe.vendor.last.body.includes("I am Ada."), "a run sees the session of another user");
}

/** Sessions: made by a run, listed, read, renamed, removed. */
export async function checkSessions(probe: Probe): Promise<void> {
  const sessionId = "trip";
  await probe.post("/agents/a/run", { input: "One.", sessionId });
  await probe.post("/agents/a/run", { input: "Two.", sessionId });
  const list = await probe.ask("/sessions");
  probe.expect(list.text.includes('"sessionId":"trip"'), `the list of sessions: ${list.text.slice(0, 150)}`);
  const turns = await probe.ask(`/sessions/${sessionId}/turns`);
  probe.expect(turns.text.includes("One.") && turns.text.includes("Two."), `turns: ${turns.text.slice(0, 150)}`);
  const renamed = await probe.ask(`/sessions/${sessionId}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: '{"title":"Reise 🚂"}',
  });
  probe.expect(renamed.status === 200, `a new title: ${renamed.status} ${renamed.text.slice(0, 150)}`);
  probe.expect((await probe.ask(`/sessions/${sessionId}`)).text.includes("Reise 🚂"), "the new title is lost");
  probe.expect((await probe.ask(`/sessions/${sessionId}`, { method: "DELETE" })).status === 204, "removing a session");
  probe.expectError(await probe.ask(`/sessions/${sessionId}`), 404, "a removed session");
}

/** Uploads: a form with a file, and one with a file of a type that is not allowed. */
export async function checkUploads(probe: Probe): Promise<void> {
  const upload = async (file: File) => {
    const form = new FormData();
    form.append("input", "What is this?");
    form.append("files", file);
    return await probe.ask("/agents/a/run", { method: "POST", body: form });
  };
  const seen = await upload(new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47)], "a.png", { type: "image/png" }));
  probe.expect(seen.status === 200, `an upload: ${seen.status} ${seen.text.slice(0, 150)}`);
  probe.expect(probe.vendor.last.body.includes("iVBORw=="), "an uploaded file does not reach the model");
  const large = new File([new Uint8Array(300_000).fill(65)], "b.png", { type: "image/png" });
  probe.expect((await upload(large)).status === 200, "an upload of 300 KB");
  const script = new File(["#!"], "x.sh", { type: "application/x-sh" });
  probe.expectError(await upload(script), 415, "an upload of another type");
}

/** Errors: a vendor that fails, before a stream begins and in a whole answer, in our form and without its words. */
export async function checkErrors(probe: Probe): Promise<void> {
  for (const verb of ["run", "stream"]) {
    for (const agent of probe.keepsRuns ? ["a", "d"] : ["a"]) {
      const failed = await probe.post(`/agents/${agent}/${verb}`, { input: failingInput });
      probe.expectError(failed, 502, `${agent}/${verb} of a vendor that fails`);
      probe.expect(!failed.text.includes(vendorSecret), `${agent}/${verb} shows what the vendor has said`);
    }
  }
  const early = await probe.post("/agents/a/stream?early=1", { input: failingInput });
  probe.expect(early.status === 200 && early.text.includes('"type":"error"'), `an early stream: ${early.status}`);
}
