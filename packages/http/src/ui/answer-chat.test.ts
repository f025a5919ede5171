import { describe, expect, it, vi } from "vitest";
import { openChat } from "../../test/chat.ts";
import { as, durable, payer, serveUsers } from "../../test/kept.ts";
import { talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import { requestRecordOf } from "../exchange/request-record.ts";

const soon = { timeout: 10_000, interval: 2 };

/** Serves an agent that asks before it pays and one that talks, and asks the first one to pay in the chat `c1` of Ada. */
async function servePaying() {
  const agents = { a: payer().agent, b: talker() };
  const runs = await durable({ agents });
  const service = await serveUsers({ agents, runs, ui: true });
  const open = openChat(service, "/agents/a/ui", { id: "c1", headers: as("ada") });
  await open.chat.sendMessage({ text: "Pay." });
  const asked = open.chat.messages.at(-1);
  const [waitId = ""] = (await runs.get(asked?.id ?? "", "host")).waits?.map(({ id }) => id) ?? [];
  const answered = (id: string, approved = true) => ({
    type: "tool-pay",
    toolCallId: "t",
    state: "approval-responded",
    approval: { id, approved },
  });
  const answer = async (parts: object[], more: { path?: string; body?: object } = {}) => {
    const body = { id: "c1", message: { id: asked?.id, role: "assistant", parts }, ...more.body };
    return await service.post(more.path ?? "/agents/a/ui", body, as("ada"));
  };
  return { runs, runId: asked?.id ?? "", waitId, answered, answer };
}

describe("an answer to a question", () => {
  it("is refused where its run is not of this agent, and where its message has no id [http.ui-approval]", async () => {
    const { waitId, runs, runId, answered, answer } = await servePaying();

    const other = await answer([answered(waitId)], { path: "/agents/b/ui" });
    const nameless = await answer([], { body: { message: { role: "assistant", parts: [answered(waitId)] } } });

    const message = "The message has no run in this chat that could go on.";
    expect(other).toMatchObject({ status: 404, json: { error: { code: "not_found", message } } });
    expect(nameless).toMatchObject({ status: 404 });
    expect(await runs.get(runId, "host")).toMatchObject({ status: "waiting" });
  });

  it("belongs to the run that messageId names, before the id of its message [http.ui-approval]", async () => {
    const { waitId, runId, answered, answer } = await servePaying();
    const parts = [answered(waitId)];

    const named = await answer(parts, { body: { messageId: runId, message: { id: "m", role: "assistant", parts } } });

    expect(named.status).toBe(200);
  });

  it("has the ids of its run in its head [http.ui-approval]", async () => {
    const { waitId, runId, answered, answer } = await servePaying();

    const { status, headers } = await answer([answered(waitId)]);

    expect(status).toBe(200);
    const named = ["x-run-id", "x-session-id", "content-location"].map((name) => headers.get(name));
    expect(named).toEqual([runId, "c1", `/runs/${runId}`]);
  });

  it("is refused when its run is over, unless it is the one that was given [http.ui-approval]", async () => {
    const { waitId, answered, answer } = await servePaying();
    await answer([answered(waitId)]);

    const again = await answer([answered(waitId)]);
    const refused = [await answer([]), await answer([{ type: "text", text: "x" }]), await answer([answered("other")])];

    expect(again.status).toBe(200);
    const message = "The run of this message waits for no answer.";
    for (const each of refused)
      expect(each).toMatchObject({ status: 409, json: { error: { code: "conflict", message } } });
  });
});

it("notes the run of an answer for the log of its request", async () => {
  const agents = { a: payer().agent };
  const runs = await durable({ agents });
  const noted: (string | undefined)[] = [];
  const service = await serve(
    { agents, runs, ui: true },
    {
      before: [
        (_request, response, next) => {
          response.once("close", () => noted.push(requestRecordOf(response).runId));
          next();
        },
      ],
    },
  );
  const open = openChat(service, "/agents/a/ui", { id: "c1" });
  await open.chat.sendMessage({ text: "Pay." });
  const runId = open.chat.messages.at(-1)?.id ?? "";
  const [wait] = (await runs.get(runId, "host")).waits ?? [];
  const part = { type: "tool-pay", state: "approval-responded", approval: { id: wait?.id, approved: true } };

  await service.post("/agents/a/ui", { id: "c1", message: { id: runId, role: "assistant", parts: [part] } });

  await vi.waitFor(() => expect(noted).toEqual([runId, runId]), soon);
});
