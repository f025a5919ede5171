import { expect, it } from "vitest";
import { serveScenes } from "../test/serve.ts";

const shown = ["content-type", "cache-control", "x-ag-ui-run-id", "x-session-id"];

/** Sends requests, and writes them and their answers down, with names for the ids that differ each time. */
async function open() {
  const { url } = await serveScenes();
  const lines: string[] = [];
  const names = new Map<string, string>();
  const name = (id: string): string => {
    names.set(id, names.get(id) ?? `<id ${names.size + 1}>`);
    return names.get(id) ?? "";
  };
  const ask = async (path: string, fields: object): Promise<string> => {
    const request = { threadId: "th", runId: "r1", protocolVersion: "1.0", messages: [], ...fields };
    const response = await fetch(`${url}/agui/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
    const text = await response.text();
    const headers = shown.map((each) => `${each}: ${response.headers.get(each)}`).join("; ");
    const written = [`> ${path} ${JSON.stringify(fields)}`, `${response.status} ${headers}`, text.trimEnd()].join("\n");
    lines.push(written.replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, name).replaceAll(/"call_\w+/g, name));
    return text;
  };
  return { ask, told: () => `${lines.join("\n\n")}\n` };
}

const hi = { messages: [{ id: "u1", role: "user", content: "Où?" }] };
const idIn = (text: string, field: string): string => new RegExp(`"${field}":"([^"]+)"`).exec(text)?.[1] ?? "";

// What a client sends and gets, byte for byte. If a change is meant, write the exchanges anew by `vitest --update`.
it("the exchanges with a client are these", async () => {
  const { ask, told } = await open();
  await ask("agents/drawer", hi);
  await ask("agents/failing", { ...hi, threadId: "th2" });
  await ask("workflows/trip", { threadId: "th3", state: { city: "é" } });
  await ask("agents/nobody", hi);
  await ask("agents/drawer", { threadId: "th9" });
  await ask("workflows/trip", { threadId: "th9", messages: [{ id: "u", role: "user", content: 7 }] });
  await ask("agents/drawer", { resume: [{ interruptId: "x", status: "resolved" }] });

  const asking = { threadId: "th4" };
  const waiting = await ask("agents/payer", { ...hi, ...asking });
  const interruptId = idIn(waiting, "id");
  const approval = { resume: [{ interruptId, status: "resolved", payload: { approved: true } }], ...asking };
  await ask("agents/payer", { ...hi, ...asking, runId: "r2" });
  await ask("agents/payer", { resume: [{ interruptId: "other", status: "resolved", payload: {} }], ...asking });
  await ask("agents/locator", approval);
  await ask("agents/payer", approval);
  await ask("agents/payer", approval);

  const calling = await ask("agents/locator", { ...hi, threadId: "th5" });
  const toolCallId = idIn(calling, "toolCallId");
  const result = { id: "t", role: "tool", toolCallId, content: "60 N" };
  await ask("agents/locator", { messages: [...hi.messages, result], threadId: "th5" });

  await expect(told()).toMatchFileSnapshot("../test/outlines/exchanges.txt");
});
