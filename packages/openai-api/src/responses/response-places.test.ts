import type OpenAI from "openai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { teller } from "../../test/agents.ts";
import { readAll, serve } from "../../test/serve.ts";

/** The ways to begin a response: `background` also stores its run. */
const ways = [
  { way: "one that was waited for", settings: {} },
  { way: "one in the background", settings: { background: true } },
];

/** Asks, and returns the id of the response once it has ended. */
async function say(client: OpenAI, input: string, more: object): Promise<string> {
  const { id } = await client.responses.create({ model: "teller", input, ...more });
  const look = async () => expect((await client.responses.retrieve(id)).status).toBe("completed");
  await vi.waitFor(look, { interval: 5, timeout: 20_000 });
  return id;
}

/**
 * Begins two responses behind the same one. The turn of one of them is in the session, and that of the other is in a
 * fork, although the ids of both name the session.
 */
async function sayBoth(settings: object) {
  const agent = teller();
  const client = (await serve({ agents: { teller: agent } })).as("ada");
  const first = await say(client, "one", settings);
  const behind = { previous_response_id: first, ...settings };
  const ids = await Promise.all([say(client, "two", behind), say(client, "three", behind)]);
  const countOf = async () => (await agent.sessions.listSessions({ userId: "ada" })).sessions.map(({ turns }) => turns);
  return { client, first, ids, countOf };
}

describe.each(ways)("the turn of a response, $way,", ({ settings }) => {
  it("is found in its session and in a fork: read, listed, and gone on from", async () => {
    const { client, ids, countOf } = await sayBoth(settings);
    expect(await countOf()).toHaveLength(2);
    for (const [index, id] of ids.entries()) {
      const said = ["two", "three"][index] ?? "";
      expect((await client.responses.retrieve(id)).output_text).toBe(`one; ${said}`);
      const items = await readAll(client.responses.inputItems.list(id));
      expect(items).toMatchObject([{ role: "user", content: [{ type: "input_text", text: said }] }]);
      const next = { model: "teller", previous_response_id: id };
      const unstored = await client.responses.create({ ...next, input: "four", store: false });
      expect(unstored.output_text).toBe(`one; ${said}; four`);
      const stored = await client.responses.create({ ...next, input: "five" });
      expect(stored.output_text).toBe(`one; ${said}; five`);
    }
  });

  it("is deleted in its session and in a fork", async () => {
    const { client, first, ids, countOf } = await sayBoth(settings);
    const sum = async () => (await countOf()).reduce((all, count) => all + count, 0);
    let left = await sum();
    for (const id of ids) {
      await client.responses.delete(id);
      await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
      left -= 1;
      expect(await sum()).toBe(left);
    }
    expect((await client.responses.retrieve(first)).output_text).toBe("one");
  });
});

describe.each(ways)("a request behind a response, $way,", ({ settings }) => {
  it("is refused if it would store other messages than those of the user, and stores nothing", async () => {
    const agent = teller();
    const client = (await serve({ agents: { teller: agent } })).as("ada");
    const first = await say(client, "eins", settings);
    const input = (...roles: ("user" | "assistant")[]) => roles.map((role) => ({ role, content: role }));
    const behind = { model: "teller", previous_response_id: first };

    for (const roles of [
      ["assistant", "user"],
      ["user", "assistant", "user"],
    ] as const) {
      const refused = client.responses.create({ ...behind, ...settings, input: input(...roles) });
      await expect(refused).rejects.toMatchObject({ status: 400, param: "input" });
      const unstored = await client.responses.create({ ...behind, store: false, input: input(...roles) });
      expect(unstored.status).toBe("completed");
    }
    const { sessions } = await agent.sessions.listSessions({ userId: "ada" });
    expect(sessions.map(({ turns }) => turns)).toEqual([1]);
    const next = await client.responses.create({ ...behind, input: input("user", "user") });
    expect(next.output_text).toMatch(/^eins; user/);
  });
});

describe("the turn of a response that was waited for", () => {
  it("is 404 once its session was dropped as unused, and stays while it is used", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const client = (await serve({ agents: { teller: teller({ storage: undefined }) } })).as("ada");
    const [left, used] = [await say(client, "eins", {}), await say(client, "zwei ✓", {})];
    const hours = async (count: number): Promise<void> => {
      vi.advanceTimersByTime(count * 3_600_000);
      await client.responses.create({ model: "teller", input: "weiter", previous_response_id: used });
    };
    await hours(23);
    await hours(2);

    await expect(client.responses.retrieve(left)).rejects.toMatchObject({ status: 404 });
    const behind = client.responses.create({ model: "teller", input: "und?", previous_response_id: left });
    await expect(behind).rejects.toMatchObject({ status: 404, code: "previous_response_not_found" });
    expect((await client.responses.retrieve(used)).output_text).toBe("zwei ✓");
  });
});
